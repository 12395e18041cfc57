import { type Position, visible } from "../errors.ts";
import { type Access, isAtMost } from "./access.ts";
import { type Clause, type PathFacts, pathRuler } from "./access-to.ts";
import type { DeviceGroup } from "./devices.ts";
import { coversEnv } from "./env-pattern.ts";
import {
  addressClass,
  type ConnectTarget,
  coversName,
  type HostRule,
  listAllows,
  printHostRule,
  ruleAllows,
} from "./host-rule.ts";
import type { MacosGroup } from "./macos.ts";
import { bars, barsByProxy, type HostList, type Network, reaches, saysItsHost } from "./network.ts";
import { type AbsolutePath, parentOf } from "./path.ts";
import { isPortIn, type Ports } from "./ports.ts";
import type { Mask, Profile } from "./profile.ts";
import { mayConnect, mayConnectAbstract, type Sockets } from "./sockets.ts";
import type { SyscallGroup } from "./syscalls.ts";
import { allowsProxy } from "./upstream.ts";

/** One named profile of the intersection: the need, or one operator file. */
export interface Layer {
  readonly name: string;
  readonly profile: Profile;
  /** Positions of its clauses, by `clauseKey`. */
  readonly sources: ReadonlyMap<string, Position>;
  /** Reasons of its clauses, by `clauseKey`, for clauses that were not written by a person. */
  readonly reasons?: ReadonlyMap<string, string>;
  /** Remedies of its clauses, by `clauseKey`, if they differ from one to another. */
  readonly remedies?: ReadonlyMap<string, string>;
}

/** A question to a profile. */
export type ProfileQuestion =
  | {
      readonly ask: "read" | "write" | "remove" | "rename";
      readonly path: AbsolutePath;
      readonly facts: PathFacts;
    }
  | { readonly ask: "connect"; readonly target: ConnectTarget }
  | { readonly ask: "socket"; readonly path: AbsolutePath }
  | { readonly ask: "abstract"; readonly name: string }
  | { readonly ask: "env"; readonly name: string }
  | { readonly ask: "syscalls"; readonly group: SyscallGroup }
  | { readonly ask: "devices"; readonly group: DeviceGroup }
  | { readonly ask: "macos"; readonly group: MacosGroup }
  | { readonly ask: "port"; readonly port: number };

/** The answer of one layer, the words of the deciding clause, and its position. */
export interface LayerAnswer {
  readonly layer: string;
  readonly allowed: boolean;
  readonly access: Access | null;
  readonly because: string;
  readonly at: Position | null;
  /** A remedy for the user, if the clause has one. */
  readonly remedy?: string;
}

/** The answer of all layers together. `decidedBy` is the layer that allows least: the first that denies. */
export interface Explanation {
  readonly allowed: boolean;
  readonly decidedBy: LayerAnswer;
  readonly layers: readonly LayerAnswer[];
}

/**
 * Explains why the intersection of the layers allows something or not. `explain(layers, q).allowed` is the answer of
 * the intersection of their profiles to `q`. The clause named is the one that decided in that layer: the nearest entry,
 * or one of the masks that cap the path the most.
 */
export function explain(layers: readonly [Layer, ...Layer[]], question: ProfileQuestion): Explanation {
  const [first, ...others] = layers;
  const answers = [answer(first, question), ...others.map((layer) => answer(layer, question))] as const;
  const decidedBy = answers.reduce((least, one) => (isBelow(one, least) ? one : least), answers[0]);
  return { allowed: decidedBy.allowed, decidedBy, layers: answers };
}

/** The key of a clause in a layer's `sources`. */
export function clauseKey(clause: Clause): string {
  switch (clause.kind) {
    case "entry":
    case "suffix":
      return entryKey(clause.entry.path);
    case "mask":
      return maskKey(clause.mask);
    case "unlisted":
      return "files";
  }
}

/** The key of the entry for a path. */
export function entryKey(path: AbsolutePath): string {
  return `file ${path}`;
}

/** The key of a mask. */
export function maskKey(mask: Pick<Mask, "pattern">): string {
  return `mask ${mask.pattern.text}`;
}

function isBelow(a: LayerAnswer, b: LayerAnswer): boolean {
  if (a.allowed !== b.allowed) return !a.allowed;
  return a.access !== null && b.access !== null && a.access !== b.access && isAtMost(a.access, b.access);
}

function answer(
  { name, profile, sources, reasons, remedies }: Layer,
  question: ProfileQuestion,
): LayerAnswer {
  const { allowed, access, because, key } = rule(profile, question);
  const remedy = remedies?.get(key);
  return {
    layer: name,
    allowed,
    access,
    because: reasons?.get(key) ?? because,
    at: sources.get(key) ?? null,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

interface Ruling {
  readonly allowed: boolean;
  readonly access: Access | null;
  readonly because: string;
  readonly key: string;
}

function rule(profile: Profile, question: ProfileQuestion): Ruling {
  const { network, sockets, env, ports } = profile;
  switch (question.ask) {
    case "read":
    case "write": {
      const { access, clause } = pathRuler(profile)(question.path, question.facts);
      return {
        allowed: isAtMost(question.ask, access),
        access,
        because: printClause(clause),
        key: clauseKey(clause),
      };
    }
    case "remove":
    case "rename": {
      const [own, folder] = [
        pathRuler(profile)(question.path, question.facts),
        pathRuler(profile)(parentOf(question.path), { kind: "folder", bornInside: false }),
      ];
      // A name is removed from the folder that holds it.
      const { access, clause } = isAtMost(own.access, folder.access) ? own : folder;
      return { allowed: access === "write", access, because: printClause(clause), key: clauseKey(clause) };
    }
    case "connect": {
      const because = becauseOfNetwork(network, question.target);
      return { allowed: reaches(network, question.target), access: null, because, key: "network" };
    }
    case "socket": {
      const allowed = mayConnect(sockets, question.path);
      return { allowed, access: null, because: becauseOfSockets(sockets, allowed), key: "sockets" };
    }
    case "abstract": {
      const allowed = mayConnectAbstract(sockets, network);
      const [because, key] = becauseOfAbstract(sockets, network);
      return { allowed, access: null, because, key };
    }
    case "env": {
      const allowed = coversEnv(env, question.name);
      return { allowed, access: null, because: `the name is ${allowed ? "" : "not "}listed`, key: "env" };
    }
    case "syscalls":
    case "devices":
    case "macos": {
      const granted: readonly string[] = profile[question.ask];
      const allowed = granted.includes(question.group);
      const because = `\`${question.group}\` is ${allowed ? "" : "not "}listed`;
      return { allowed, access: null, because, key: question.ask };
    }
    case "port": {
      const allowed = isPortIn(ports, question.port);
      return { allowed, access: null, because: becauseOfPorts(ports, allowed), key: "ports" };
    }
  }
}

/** A clause in words. */
export function printClause(clause: Clause): string {
  switch (clause.kind) {
    case "entry":
      return `${visible(clause.entry.path)} has access ${clause.entry.access}`;
    case "suffix": {
      const { path, suffixes } = clause.entry;
      return `${visible(path)} has access only for ${suffixes === "any" ? "all" : suffixes.join(", ") || "no"} files`;
    }
    case "mask":
      return `the mask ${visible(clause.mask.pattern.text)} allows ${clause.mask.atMost === "none" ? "nothing" : "at most read"}`;
    case "unlisted":
      return "no entry lists it";
  }
}

function becauseOfPorts(ports: Ports, isListed: boolean): string {
  return ports === "any" ? "any port" : `the port is ${isListed ? "" : "not "}listed`;
}

function becauseOfNetwork(network: Network, target: ConnectTarget): string {
  if (network === "none") return "the network is off";
  if (network === "host") return "the machine's own network";
  if (network === "open")
    return reaches(network, target) ? "every public address is open" : "only public addresses are open";
  const covering = network.hosts.find((rule) => coversName(rule, target.host, target.port));
  if (covering === undefined) return "the host is not listed";
  const barring = network.never.find((rule) => bars(rule, target));
  if (barring !== undefined) return `\`never\` lists ${printHostRule(barring)}`;
  if (network.strictSni === true && !saysItsHost(target))
    return "the TLS hello names another host (`strict_sni`)";
  if (target.proxy !== undefined) return becauseOfProxy(network, covering, target, target.proxy);
  const allowing = network.hosts.find((rule) => ruleAllows(rule, target));
  if (allowing !== undefined) return `${printHostRule(allowing)} is listed`;
  const byAddress = network.hosts.find(({ name }) => name === target.address);
  if (byAddress !== undefined && listAllows(network.hosts, target))
    return `${printHostRule(covering)} and ${printHostRule(byAddress)} are listed`;
  return `${printHostRule(covering)} is listed, but ${target.address} is a ${addressClass(target.address)} address`;
}

function becauseOfProxy(
  list: HostList,
  covering: HostRule,
  { host, port }: ConnectTarget,
  proxy: string,
): string {
  if (!allowsProxy(list.proxies, proxy)) return `the proxy ${proxy} is not allowed`;
  const barring = list.never.find((rule) => barsByProxy(rule, host, port));
  if (barring !== undefined)
    return `\`never\` lists ${printHostRule(barring)}, and the proxy ${proxy} may resolve the host to it`;
  return `${printHostRule(covering)} is listed, and the proxy ${proxy} is allowed`;
}

function becauseOfSockets(sockets: Sockets, allowed: boolean): string {
  if (sockets === "none") return "no unix sockets are allowed";
  return sockets === "any" ? "any socket" : `the socket is ${allowed ? "" : "not "}listed`;
}

function becauseOfAbstract(sockets: Sockets, network: Network): readonly [because: string, key: string] {
  if (sockets === "none") return [becauseOfSockets(sockets, false), "sockets"];
  const because =
    network === "host"
      ? "the machine's own network includes its abstract sockets"
      : "abstract sockets need the machine's own network, which is not granted";
  return [because, "network"];
}
