import { type Access, isAtMost } from "./access.ts";
import { maskRuler, type PathFacts, type PathRuler, pathRuler } from "./access-to.ts";
import type { DeviceGroup } from "./devices.ts";
import { envOutside } from "./env-pattern.ts";
import type { ConnectTarget } from "./host-rule.ts";
import { limitAbove } from "./limits.ts";
import type { MacosGroup } from "./macos.ts";
import { networkOutside } from "./network-outside.ts";
import { type AbsolutePath, isInside, joinPath, ROOT, upwards } from "./path.ts";
import { hasNegatedSet, patternTest } from "./pattern.ts";
import { matchesBelow } from "./pattern-matches.ts";
import { portOutside } from "./ports.ts";
import { type FileEntry, indexEntries, type Mask, nearestEntry, type Profile } from "./profile.ts";
import { socketOutside } from "./sockets.ts";
import type { Suffixes } from "./suffix.ts";
import type { SyscallGroup } from "./syscalls.ts";

/** An access that one profile allows and another does not. */
export type Witness =
  | {
      readonly field: "files";
      readonly path: AbsolutePath;
      readonly facts: PathFacts;
      readonly has: Access;
      readonly limit: Access;
    }
  | { readonly field: "network"; readonly target: ConnectTarget | "host" }
  | { readonly field: "sockets"; readonly path: AbsolutePath | "any" | "own" }
  | { readonly field: "env"; readonly name: string }
  | { readonly field: "terminal" }
  | { readonly field: "syscalls"; readonly group: SyscallGroup }
  | { readonly field: "devices"; readonly group: DeviceGroup }
  | { readonly field: "macos"; readonly group: MacosGroup }
  | { readonly field: "ports"; readonly port: number }
  | { readonly field: "limits"; readonly name: string };

/** The result of a comparison. `unknown` names the mask of the other profile that could not be decided. */
export type Comparison =
  | { readonly kind: "within" }
  | { readonly kind: "exceeds"; readonly witness: Witness }
  | { readonly kind: "unknown"; readonly mask: Mask };

/**
 * Compares what `a` and `b` allow. `within` is sound; `exceeds` carries a witness that `accessTo` and its siblings
 * confirm. `unknown` arises only if a glob of `b` meets a different glob of `a`, or if there are too many of them to
 * compare, and counts as wider. (A literal mask that ignores case is a glob here: it matches every spelling.) Throws
 * `USAGE` for invalid limits made by hand.
 */
export function compare(a: Profile, b: Profile): Comparison {
  const witness = witnessOutsideFiles(a, b);
  if (witness !== null) return { kind: "exceeds", witness };
  return compareFiles(a, b);
}

/** True if `a` surely allows only what `b` allows. */
export function isWithin(a: Profile, b: Profile): boolean {
  return compare(a, b).kind === "within";
}

function witnessOutsideFiles(a: Profile, b: Profile): Witness | null {
  const target = networkOutside(a.network, b.network);
  if (target !== null) return { field: "network", target };
  const socket = socketOutside(a.sockets, b.sockets);
  if (socket !== null) return { field: "sockets", path: socket };
  const name = envOutside(a.env, b.env);
  if (name !== null) return { field: "env", name };
  if (a.terminal && !b.terminal) return { field: "terminal" };
  const group = a.syscalls.find((one) => !b.syscalls.includes(one));
  if (group !== undefined) return { field: "syscalls", group };
  const device = a.devices.find((one) => !b.devices.includes(one));
  if (device !== undefined) return { field: "devices", group: device };
  const ofMacos = a.macos.find((one) => !b.macos.includes(one));
  if (ofMacos !== undefined) return { field: "macos", group: ofMacos };
  const port = portOutside(a.ports, b.ports);
  if (port !== null) return { field: "ports", port };
  const limit = limitAbove(a.limits, b.limits);
  return limit === null ? null : { field: "limits", name: limit };
}

/** The maximum of comparisons of globs with paths, in all; further globs stay undecided. */
const MAX_LOOKS = 2_000_000;

interface Pair {
  readonly a: Profile;
  readonly b: Profile;
  readonly rulerA: PathRuler;
  readonly rulerB: PathRuler;
  readonly named: ReadonlySet<AbsolutePath>;
}

/**
 * Without globs, access changes only at named paths: `a` is queried there, as born inside, where its globs don't apply.
 */
function compareFiles(a: Profile, b: Profile): Comparison {
  const pair: Pair = { a, b, rulerA: pathRuler(a), rulerB: pathRuler(b), named: namedPaths(a, b) };
  const own = Map.groupBy(a.masks, (mask) => mask.pattern.text);
  const reachable = [...pair.named].map((path) => ({
    path,
    access: pair.rulerA(path, { kind: "folder", bornInside: true }).access,
  }));
  let looks = 0;
  const witness = witnessAtEntries(pair);
  if (witness !== null) return { kind: "exceeds", witness };
  let undecided: Mask | null = null;
  for (const mask of b.masks) {
    if (own.get(mask.pattern.text)?.some((known) => isSameOrTighter(known, mask)) === true) continue;
    looks += pair.named.size;
    const isTooMuch = looks > MAX_LOOKS && mask.pattern.literal === null;
    const verdict = isTooMuch ? ({ kind: "unknown" } as const) : compareUnderMask(pair, mask, reachable);
    if (verdict.kind === "exceeds") return verdict;
    if (verdict.kind === "unknown") undecided ??= mask;
  }
  return undecided === null ? { kind: "within" } : { kind: "unknown", mask: undecided };
}

function namedPaths(a: Profile, b: Profile): ReadonlySet<AbsolutePath> {
  const named = new Set<AbsolutePath>([ROOT]);
  for (const { files, masks } of [a, b]) {
    for (const path of [
      ...files.map((entry) => entry.path),
      ...masks.flatMap((mask) => mask.pattern.literal ?? mask.exceptTreesOf ?? []),
    ]) {
      for (const at of upwards(path)) {
        if (named.has(at)) break;
        named.add(at);
      }
    }
  }
  return named;
}

/** A witness if `a` allows more at the path. */
function witnessAt({ rulerA, rulerB }: Pair, path: AbsolutePath, facts: PathFacts): Witness | null {
  const [has, limit] = [rulerA(path, facts).access, rulerB(path, facts).access];
  return isAtMost(has, limit) ? null : { field: "files", path, facts, has, limit };
}

function witnessAtEntries(pair: Pair): Witness | null {
  const [inA, inB] = [indexEntries(pair.a.files), indexEntries(pair.b.files)];
  for (const path of new Set([ROOT, ...[...pair.a.files, ...pair.b.files].map((entry) => entry.path)])) {
    const asFolder = witnessAt(pair, path, { kind: "folder", bornInside: true });
    if (asFolder !== null) return asFolder;
    for (const name of sampleFiles(nearestEntry(inA, path).suffixes, nearestEntry(inB, path).suffixes)) {
      const asFile = witnessAt(pair, freshPath(path, name, pair.named), { kind: "file", bornInside: true });
      if (asFile !== null) return asFile;
    }
  }
  return null;
}

function sampleFiles(a: Suffixes, b: Suffixes): readonly string[] {
  if (a === "any" && b === "any") return [];
  return [
    "sample",
    ...[a, b].flatMap((list) => (list === "any" ? [] : list.map((suffix) => `sample${suffix}`))),
  ];
}

function freshPath(folder: AbsolutePath, name: string, named: ReadonlySet<AbsolutePath>): AbsolutePath {
  let path = joinPath(folder, name);
  for (let count = 0; named.has(path); count += 1) path = joinPath(folder, `other-${count}-${name}`);
  return path;
}

/**
 * Looks for a path that the mask covers and where `a`, without its globs, allows more than the mask. There is one
 * exactly if it is a named path, or lies directly below one with a name of its own.
 */
function compareUnderMask(
  pair: Pair,
  mask: Mask,
  reachable: readonly Pick<FileEntry, "path" | "access">[],
): Comparison {
  const { pattern, ignoreCase, atMost } = mask;
  const covers = patternTest(pattern, ignoreCase);
  const below = matchesBelow(pattern, ignoreCase, (path) => pair.named.has(path));
  const capOf = mask.exceptTreesOf === undefined ? null : maskRuler([mask]);
  let isReached = false;
  for (const { path: folder, access } of reachable) {
    if (isAtMost(access, atMost)) continue;
    const covered = covers(folder) ? [folder] : below(folder);
    for (const path of covered) {
      if (capOf !== null && capOf(path, false) === null) continue;
      const isLiteral = pattern.literal !== null && isInside(path, pattern.literal);
      const witness = witnessAt(pair, path, { kind: "folder", bornInside: isLiteral });
      if (witness !== null) return { kind: "exceeds", witness };
      isReached = true;
    }
  }
  return isReached ? { kind: "unknown", mask } : { kind: "within" };
}

/** Both have one pattern. Ignoring case matches more, except for `[!a]`, which then leaves out `A` as well. */
function isSameOrTighter(own: Mask, mask: Mask): boolean {
  if (!coversTrees(own, mask)) return false;
  const isWider = own.ignoreCase && !own.pattern.segments.some(hasNegatedSet);
  return (own.ignoreCase === mask.ignoreCase || isWider) && isAtMost(own.atMost, mask.atMost);
}

function coversTrees({ exceptTreesOf: own }: Mask, { exceptTreesOf: other }: Mask): boolean {
  return own === undefined || (own.length === other?.length && own.every((root, at) => root === other[at]));
}
