import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, isIPv6, type LookupFunction, type Socket } from "node:net";
import type { ConnectTarget } from "../../profile/host-rule.ts";
import { codeOf } from "../system-error.ts";
import { isRoutedHere } from "./local-routes.ts";

/** Looks a name up: every address of it, as the machine finds them. Rejects if there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Addresses that one name was found to have and that may be connected to; all with one host and port. */
export type Targets = readonly [ConnectTarget, ...ConnectTarget[]];

/** Begins a connection to one of the targets, and to nothing else. */
export type Dial = (targets: Targets) => Socket;

/** The network beyond this machine: how names are looked up there, and connections made. */
export interface Outside {
  readonly resolve: Resolve;
  readonly dial: Dial;
  /** True if packets to an address stay on this machine, whatever the address's class. */
  readonly isOwn: (address: string) => Promise<boolean>;
}

/** The machine's own way, with `/etc/hosts` and all. */
export const resolveHere: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * Over the machine's own network. The name is not looked up again: only the targets count. Either end of the connection
 * can be closed by itself.
 */
export const dialHere: Dial = ([first, ...rest]) => {
  const found = [first, ...rest].map(({ address }) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const pinned: LookupFunction = (_name, options, answer) => {
    if (options.all === true) answer(null, found);
    else answer(null, first.address, first.address.includes(":") ? 6 : 4);
  };
  const { host, port } = first;
  return connect({ host, port, lookup: pinned, autoSelectFamily: true, allowHalfOpen: true, noDelay: true });
};

/**
 * True if the machine would send from that very address, as for each of its interfaces; packets from loopback stay
 * there. Else decided by its routes. Rejects if no socket is available, or a table can't be read.
 */
export async function isOwnAddress(address: string): Promise<boolean> {
  return (await isSentFromItself(address)) || isRoutedHere(address);
}

/** Nothing is sent: a datagram socket only gets a peer by this (connect(2)). An unreachable address is not here. */
async function isSentFromItself(address: string): Promise<boolean> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  try {
    socket.connect(DISCARD, address);
    await once(socket, "connect");
    const from = socket.address().address;
    return from === socket.remoteAddress().address || from === "::1" || from.startsWith("127.");
  } catch (error) {
    if (UNREACHABLE.includes(codeOf(error))) return false;
    throw error;
  } finally {
    socket.close();
  }
}

/** Any port would do (RFC 863). */
const DISCARD = 9;

/** `EAFNOSUPPORT`: from a kernel without IPv6. */
const UNREACHABLE = [
  ...["EAFNOSUPPORT", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL"],
  ...["EINVAL", "EACCES", "EPERM"],
];

/** This machine's own. */
export const OUTSIDE: Outside = { resolve: resolveHere, dial: dialHere, isOwn: isOwnAddress };
