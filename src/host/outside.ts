import { lookup } from "node:dns/promises";
import { connect, type LookupFunction, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Target } from "../profile/host-rule.ts";

/** Looks a name up: every address of it, as the machine finds them. Rejects where there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Addresses that one name was found to have and that may be connected to; all with one host and port. */
export type Targets = readonly [Target, ...Target[]];

/** Begins a connection to one of the targets, and to nothing else. */
export type Dial = (targets: Targets) => Socket;

/** What lies beyond this machine: how names are looked up there, and connections made. */
export interface Outside {
  readonly resolve: Resolve;
  readonly dial: Dial;
  /** The machine's own addresses, which lie on this side, whatever their class. */
  readonly own: () => readonly string[];
}

/** The machine's own way, with `/etc/hosts` and all. */
export const resolveHere: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * Over the machine's own network. The name is not looked up again: whatever it leads to by now, the targets count. Either
 * end of the connection can be closed by itself.
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

/** Those of every interface. One of a link alone has a zone besides, which is left out here. */
export function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}

/** This machine's own. */
export const OUTSIDE: Outside = { resolve: resolveHere, dial: dialHere, own: ownAddresses };
