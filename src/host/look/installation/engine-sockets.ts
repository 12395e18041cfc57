import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  joinPath,
  nameOf,
  pathFromBytes,
  ROOT,
} from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import type { Host } from "../host.ts";
import { leadsTo, lookingOnce, wayOf } from "../leads.ts";
import { homesOf } from "../user.ts";

/**
 * Default sockets of container engines: Docker, Podman, containerd, CRI-O, BuildKit, LXD and Incus, Colima, Rancher
 * Desktop, OrbStack. A process that can write to such a socket can start a container that has the whole machine.
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
/** Variables with the address of this person's engine. */
const VARIABLES = ["DOCKER_HOST", "CONTAINER_HOST", "CONTAINERD_ADDRESS", "BUILDKIT_HOST"];

/** The first socket of a container engine in a folder, open or not, or the first link there to one; null for none. */
export function engineSocketIn(
  host: Pick<Host, "env" | "user" | "cwd">,
  folder: AbsolutePath,
): AbsolutePath | null {
  const look = lookingOnce();
  for (const socket of engineSockets(host)) {
    const places = [
      resolve(socket),
      ...wayOf(socket, ROOT, look).links,
      leadsTo(socket, ROOT, () => true, look).path,
    ];
    const found = places.filter(isAbsolutePath).find((path) => isInside(path, folder));
    if (found !== undefined) return found;
  }
  return null;
}

/** Absolute paths of sockets: those that are open now, those that variables name, and the usual places. */
function engineSockets(host: Pick<Host, "env" | "user" | "cwd">): readonly string[] {
  return [
    ...SOCKETS,
    ...homesOf(host).flatMap((home) => SOCKETS_OF_A_HOME.map((name) => joinPath(home, name))),
    ...VARIABLES.flatMap((name) => pathIn(host.env[name] ?? "", host.cwd)),
    ...openSockets(),
  ];
}

/** The path in an address: `unix:///run/a.sock`, `unix://a.sock`, which counts from the cwd, or `/run/a.sock`. */
function pathIn(address: string, cwd: AbsolutePath): readonly string[] {
  const path = /^(?:unix:(?:\/\/)?)?(.+)$/s.exec(address)?.[1] ?? "";
  if (path.startsWith("/")) return [path];
  return address.startsWith("unix:") ? [`${cwd}/${path}`] : [];
}

/** The named sockets of this machine whose names are those of engines (proc(5), `/proc/net/unix`); none if unknown. */
function openSockets(): readonly string[] {
  const text = orNull(() => pathFromBytes(readFileSync("/proc/net/unix")));
  if (text === null) return [];
  const paths = text.split("\n").flatMap((line) => / (\/.*)$/.exec(line)?.[1] ?? []);
  return paths.filter((path) => isAbsolutePath(path) && NAMES.test(nameOf(path)));
}
