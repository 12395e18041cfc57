import { readFileSync } from "node:fs";
import {
  type AbsolutePath,
  absolutePath,
  isAbsolutePath,
  joinPath,
  nameOf,
  pathFromBytes,
} from "../../profile/path.ts";
import { type Host, homesOf } from "../host.ts";

/**
 * Where container engines listen by default: Docker, Podman, containerd, CRI-O, BuildKit, LXD and Incus, Colima, Rancher Desktop,
 * OrbStack. Whoever can write to such a socket can start a container that has the whole machine.
 */
const SOCKETS = [
  "/run/docker.sock",
  "/run/podman/podman.sock",
  "/run/containerd/containerd.sock",
  "/run/crio/crio.sock",
  "/run/buildkit/buildkitd.sock",
  "/run/k3s/containerd/containerd.sock",
  "/run/incus/unix.socket",
];
const SOCKETS_OF_A_HOME = [
  ".docker/run/docker.sock",
  ".docker/desktop/docker.sock",
  ".colima/default/docker.sock",
  ".rd/docker.sock",
  ".orbstack/run/docker.sock",
];
const NAMES = /^(?:docker|podman|containerd|crio|cri-dockerd|buildkitd|nerdctl)[\w.-]*\.sock$/;
/** Variables that say where the engine of this person listens. */
const VARIABLES = ["DOCKER_HOST", "CONTAINER_HOST", "CONTAINERD_ADDRESS", "BUILDKIT_HOST"];

/** Sockets of container engines: those that are open now, those that variables name, and the usual places. */
export function engineSockets(host: Pick<Host, "env" | "user">): readonly AbsolutePath[] {
  const named = VARIABLES.flatMap((name) => (host.env[name] ?? "").replace(/^unix:(?:\/\/(?=\/))?/, ""));
  return [
    ...SOCKETS.map(absolutePath),
    ...homesOf(host).flatMap((home) => SOCKETS_OF_A_HOME.map((name) => joinPath(home, name))),
    ...[...named, ...openSockets()].filter(isAbsolutePath),
  ];
}

/** The named sockets of this machine whose names are those of engines (proc(5), `/proc/net/unix`); none where it is not told. */
function openSockets(): readonly string[] {
  let text: string;
  try {
    text = pathFromBytes(readFileSync("/proc/net/unix"));
  } catch {
    return [];
  }
  const paths = text.split("\n").flatMap((line) => / (\/.*)$/.exec(line)?.[1] ?? []);
  return paths.filter((path) => isAbsolutePath(path) && NAMES.test(nameOf(path)));
}
