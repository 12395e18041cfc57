import type { Network } from "./network.ts";
import { type AbsolutePath, byPath } from "./path.ts";

/**
 * Host sockets that may be connected to. With `none` a process cannot make a unix socket at all, and reaches none in a
 * readable folder, nor an abstract one. Pairs of streams stay possible.
 */
export type Sockets = "any" | "none" | readonly AbsolutePath[];

/** Listed sockets in order, each once. */
export function normalSockets(sockets: Sockets): Sockets {
  return typeof sockets === "string" ? sockets : [...new Set(sockets)].sort(byPath);
}

/** The sockets that both allow. */
export function meetSockets(a: Sockets, b: Sockets): Sockets {
  if (a === "any" || b === "none") return b;
  if (b === "any" || a === "none") return a;
  const inB = new Set(b);
  return a.filter((path) => inB.has(path));
}

export function listedSockets(sockets: Sockets): readonly AbsolutePath[] {
  return typeof sockets === "string" ? [] : sockets;
}

/** True if the socket at the path may be connected to. */
export function mayConnect(sockets: Sockets, path: AbsolutePath): boolean {
  return sockets === "any" || listedSockets(sockets).includes(path);
}

/**
 * True if abstract sockets of the host may be connected to. That depends on the network, which their names belong to
 * (unix(7), network_namespaces(7)), if there are unix sockets at all. A list, being of paths, says nothing of them.
 */
export function mayConnectAbstract(sockets: Sockets, network: Network): boolean {
  return network === "host" && sockets !== "none";
}

/** Access that `a` allows and `b` does not: a socket, any at all, or `own`, to have unix sockets of one's own. */
export function socketOutside(a: Sockets, b: Sockets): AbsolutePath | "any" | "own" | null {
  if (a === "none" || b === "any") return null;
  if (a === "any") return a;
  return a.find((path) => !mayConnect(b, path)) ?? (b === "none" ? "own" : null);
}
