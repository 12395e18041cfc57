import type { Network } from "./network.ts";
import { type AbsolutePath, byPath } from "./path.ts";

/**
 * Host unix sockets that may be connected to: any, or the listed ones, which may be none. With `none` there are no unix
 * sockets at all: a process can't make one, so that it also reaches none that lies in a folder it may read, nor an
 * abstract one. Pairs of streams, which reach nobody but each other, stay possible.
 */
export type Sockets = "any" | "none" | readonly AbsolutePath[];

/** Listed sockets in order, each once. */
export function normalSockets(sockets: Sockets): Sockets {
  return typeof sockets === "string" ? sockets : [...new Set(sockets)].sort(byPath);
}

/** What both allow. */
export function meetSockets(a: Sockets, b: Sockets): Sockets {
  if (a === "any" || b === "none") return b;
  if (b === "any" || a === "none") return a;
  const inB = new Set(b);
  return a.filter((path) => inB.has(path));
}

/** The sockets that are listed by their paths. */
export function listedSockets(sockets: Sockets): readonly AbsolutePath[] {
  return typeof sockets === "string" ? [] : sockets;
}

/** Whether the socket at the path may be connected to. */
export function mayConnect(sockets: Sockets, path: AbsolutePath): boolean {
  return sockets === "any" || listedSockets(sockets).includes(path);
}

/**
 * Whether abstract sockets of the host may be connected to: by the network, since that is what their names are of
 * (unix(7), network_namespaces(7)), where there are unix sockets at all. A list, being of paths, says nothing of them.
 */
export function mayConnectAbstract(sockets: Sockets, network: Network): boolean {
  return network === "host" && sockets !== "none";
}

/** Something that `a` allows and `b` does not: a socket, any at all, or `own`, to have unix sockets of one's own. */
export function socketOutside(a: Sockets, b: Sockets): AbsolutePath | "any" | "own" | null {
  if (a === "none" || b === "any") return null;
  if (a === "any") return a;
  return a.find((path) => !mayConnect(b, path)) ?? (b === "none" ? "own" : null);
}
