import type { Query, SocketEnd } from "../../query.ts";
import { attach, born, put } from "../change.ts";
import { fails } from "../errno.ts";
import type { Kernel } from "../kernel.ts";
import type { Address, Syscall } from "../syscall.ts";
import { folderProblem, hasRight } from "../world.ts";
import { asks, creates, existing, type Plan, reach, type Scene, wayTo } from "./plan.ts";

type Talk = Extract<Syscall, { call: "connect" | "bind" | "listen" }>;
type Inet = Exclude<Address, { family: "AF_UNIX" }>;

/** The addresses that the machine has in its network, as the world has it. */
export const OWN_ADDRESSES: readonly string[] = ["192.168.1.23", "fd00::23"];

/** A socket of its own: only some domains are asked about. */
export function planSocket(scene: Scene, call: Extract<Syscall, { call: "socket" }>): Plan {
  const { domain, type, protocol } = call;
  const isInet = domain === "AF_INET" || domain === "AF_INET6";
  if (isInet && !scene.kernel.inetSocketChecks) return asks([], () => undefined);
  return asks([{ operation: "system-socket", socket: { domain, type, protocol } }], () => undefined);
}

/** Reaching out, taking an address, or waiting at one. */
export function planTalk(scene: Scene, call: Talk): Plan {
  const { address } = call;
  if (address.family !== "AF_UNIX") return planInet(scene.kernel, call, address);
  switch (call.call) {
    case "connect":
      return planUnixConnect(scene, address.path, call);
    case "bind":
      return planUnixBind(scene, address.path, call);
    case "listen":
      return planUnixListen(scene, address.path, call);
  }
}

const OPERATIONS = {
  connect: "network-outbound",
  bind: "network-bind",
  listen: "network-inbound",
} as const satisfies Record<Talk["call"], string>;

/** Who connects here has not bound its socket before, so that its own end is the any-address. */
function planInet(kernel: Kernel, { call, type }: Talk, address: Inet): Plan {
  const any = { host: hostOf(kernel, address.family === "AF_INET" ? "0.0.0.0" : "::"), port: 0 };
  const end: SocketEnd = { host: hostOf(kernel, address.host), port: address.port };
  const transport = type === "SOCK_STREAM" ? "tcp" : "udp";
  const ends = call === "connect" ? { local: any, remote: end } : { local: end };
  const query: Query = {
    operation: OPERATIONS[call],
    socket: { domain: address.family, type, transport, ...ends },
  };
  return asks([query], () => (call === "connect" ? { is: "connected", to: "network" } : undefined));
}

function hostOf(kernel: Kernel, host: string): string {
  const isAny = host === "0.0.0.0" || host === "::";
  const isLocalhost =
    host === "::1" ||
    host.startsWith("127.") ||
    (isAny && kernel.anyIsLocalhost) ||
    (OWN_ADDRESSES.includes(host) && kernel.ownIsLocalhost);
  return isLocalhost ? "localhost" : host;
}

function planUnixConnect(scene: Scene, path: string, call: Talk): Plan {
  const place = existing(scene, path);
  if (place.kind === "fails") return place;
  const { node } = place;
  if (node.vnode !== "SOCKET") return fails("ENOTSOCK");
  if (!hasRight(scene.world, node, "write")) return fails("EACCES");
  const { listener } = node;
  if (listener === "nobody") return fails("ECONNREFUSED");
  return asks([...wayTo(scene, place), unix(place.path, call)], () => ({ is: "connected", to: listener }));
}

function planUnixBind(scene: Scene, path: string, call: Talk): Plan {
  const { world, kernel } = scene;
  const place = reach(scene, path);
  if (place.kind === "fails") return place;
  if (place.kind === "found") return fails("EADDRINUSE");
  const problem = folderProblem(world, place.folder);
  if (problem !== undefined) return fails(problem);
  const made = kernel.bindChecksCreate ? [creates(place.path, "SOCKET")] : [];
  return asks([...wayTo(scene, place), unix(place.path, call), ...made], () => {
    const birth = born(world, place.folder.volume, { mode: 0o755, owner: world.uid });
    put(world, { ...birth, vnode: "SOCKET", listener: "nobody" });
    attach(world, place.folder.id, place.name, birth.id);
    return undefined;
  });
}

/** Waiting at a socket that the process has bound: any that nobody answers at. */
function planUnixListen(scene: Scene, path: string, call: Talk): Plan {
  const { world, kernel } = scene;
  const place = existing(scene, path);
  if (place.kind === "fails") return place;
  const { node } = place;
  if (node.vnode !== "SOCKET") return fails("ENOTSOCK");
  if (node.listener !== "nobody") return fails("EINVAL");
  return asks(kernel.unixListenChecksInbound ? [unix(place.path, call)] : [], () => {
    put(world, { ...node, listener: "sandbox" });
    return undefined;
  });
}

function unix(path: string, { call, type }: Talk): Query {
  return { operation: OPERATIONS[call], path, vnode: "SOCKET", socket: { domain: "AF_UNIX", type } };
}
