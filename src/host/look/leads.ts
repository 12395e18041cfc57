import type { Stats } from "node:fs";
import { resolve } from "node:path";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  joinPath,
  knownPath,
  namesInText,
  parentOf,
  ROOT,
} from "../../profile/path.ts";
import { linkAt, statsOf } from "./nodes.ts";

/** The target of a path, as far as looks are allowed. `unseen`: outside of that, where nothing was looked at. */
export interface PathTarget {
  readonly path: AbsolutePath;
  readonly kind: "file" | "folder" | "missing" | "unseen";
}

/** The kernel's maximum of links: path_resolution(7). */
const MAX_LINKS = 40;

/**
 * Maximum of names that are passed on one way. The kernel has no such bound: a link holds up to two thousand names, and
 * may lead to forty others. Only a tool makes ways of thousands, and to follow them would keep all other calls waiting.
 */
const MAX_NAMES = 4_096;

/**
 * The target of a path from a canonical folder, name by name as the kernel goes. Only allowed places are looked at; all
 * others count as existing folders, so that neither they nor their targets influence the answer.
 */
export function leadsTo(
  written: string,
  from: AbsolutePath,
  mayLook: (path: AbsolutePath) => boolean,
  look: Lstat = statsOf,
): PathTarget {
  const names = namesInText(written).reverse();
  let at = written.startsWith("/") ? ROOT : from;
  let links = 0;
  let passed = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    passed += 1;
    if (passed > MAX_NAMES) return { path: at, kind: "missing" };
    const next = name === ".." ? parentOf(at) : joinPath(at, name);
    if (name === ".." || !mayLook(next)) {
      at = next;
      continue;
    }
    const stats = look(next);
    if (stats?.isDirectory() === true || (stats?.isFile() === true && names.length === 0)) {
      at = next;
      continue;
    }
    const text = stats?.isSymbolicLink() === true && links < MAX_LINKS ? linkAt(next) : null;
    if (text === null)
      return {
        path: behind(next, names),
        kind: stats === null || stats.isSymbolicLink() || names.length > 0 ? "missing" : "file",
      };
    links += 1;
    if (text.startsWith("/")) at = ROOT;
    names.push(...namesInText(text).reverse());
  }
  if (!mayLook(at)) return { path: at, kind: "unseen" };
  return { path: at, kind: look(at)?.isDirectory() === true ? "folder" : "file" };
}

/** After a missing place, the names are taken as they are; last first. */
function behind(place: AbsolutePath, names: readonly string[]): AbsolutePath {
  let at = place;
  for (const name of names.toReversed()) at = name === ".." ? parentOf(at) : joinPath(at, name);
  return at;
}

/** The links below here depend on the process that asks (proc(5)): inside they lead elsewhere. */
export const OF_WHO_ASKS = knownPath("/proc");

/** `lstat`, or null if nothing is there or it can't be seen. */
export type Lstat = (path: AbsolutePath) => Stats | null;

/** A look that sees each place once. Paths in `missing` count as missing even if they exist. */
export function lookingOnce(missing: ReadonlySet<AbsolutePath> = new Set(), look: Lstat = statsOf): Lstat {
  const seen = new Map<AbsolutePath, Stats | null>();
  return (path) => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const stats = missing.has(path) ? null : look(path);
    seen.set(path, stats);
    return stats;
  };
}

/** Factor by which a second look at a place is cheaper. */
const AGAIN = 16;

/**
 * A look that ends once the places asked about have that many characters together: it sees nothing from then on. In a
 * deep tree each place costs the kernel as much as its path is long, and all other work waits. A place that was looked
 * at before counts for little.
 */
export class BoundedLook {
  readonly #look = lookingOnce(undefined, (path) => {
    this.#left -= path.length;
    return this.isOver ? null : statsOf(path);
  });
  #left: number;

  constructor(maxCharacters: number) {
    this.#left = maxCharacters;
  }

  /** True if something was not looked at: later findings count for nothing. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  readonly at: Lstat = (path) => {
    this.#left -= path.length / AGAIN;
    return this.isOver ? null : this.#look(path);
  };
}

/** The way to the target of a path. */
export interface LeadingWay {
  /** Its end, canonical, of which the last name may be missing; null if it leads nowhere, or depends on who asks. */
  readonly end: AbsolutePath | null;
  /** The links that are passed, each by its canonical folder. */
  readonly links: readonly AbsolutePath[];
  /** Those of them that are the end by another name: no further name follows them on the way. */
  readonly aliases: readonly AbsolutePath[];
  /** Every place on the way, and the end: a program that can replace one of them decides where it leads. */
  readonly places: readonly AbsolutePath[];
  /** True if it was not followed to its end: that is null then, and may be anything. */
  readonly isTooLong: boolean;
}

/**
 * The way of a path from a canonical folder, name by name as the kernel goes: a link is followed before the `..` after
 * it (path_resolution(7)). `look` sees the places.
 */
export function wayOf(written: string, from: AbsolutePath, look: Lstat = statsOf): LeadingWay {
  const names = namesInText(written).reverse();
  const links: AbsolutePath[] = [];
  const aliases: AbsolutePath[] = [];
  const places: AbsolutePath[] = [];
  const nowhere: LeadingWay = { end: null, links, aliases, places, isTooLong: false };
  let passed = 0;
  let at = written.startsWith("/") ? ROOT : from;
  let own = names.length;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const isOwn = names.length < own;
    if (isOwn) own = names.length;
    passed += 1;
    if (passed > MAX_NAMES) return { ...nowhere, isTooLong: true };
    if (name === "..") {
      if (look(at)?.isDirectory() !== true) return nowhere;
      at = parentOf(at);
      continue;
    }
    const next = joinPath(at, name);
    places.push(next);
    const stats = look(next);
    if (isInside(next, OF_WHO_ASKS) || (stats === null && !(isOwn && names.length === 0))) return nowhere;
    if (stats?.isSymbolicLink() !== true) {
      at = next;
      continue;
    }
    const text = links.length < MAX_LINKS ? linkAt(next) : null;
    if (text === null) return nowhere;
    links.push(next);
    if (names.length === 0) aliases.push(next);
    if (text.startsWith("/")) at = ROOT;
    names.push(...namesInText(text).reverse());
  }
  return { ...nowhere, end: at };
}

/** True for a path with a `..` after a name, which may be a link: only the kernel knows its target. */
export function hasDetour(written: string): boolean {
  return namesInText(written).some((name, at, names) => name === ".." && at > 0 && names[at - 1] !== "..");
}

/**
 * The written path, without `.` and `..`; its last name is not followed, and without a detour no link is. Null if it
 * can't be determined.
 */
export function plainPath(written: string, from: AbsolutePath, look: Lstat = statsOf): AbsolutePath | null {
  if (hasDetour(written)) {
    const [, before = "", last = ""] = /^(.*\/)?([^/]*)$/su.exec(written) ?? [];
    if (last === "" || last === "." || last === "..") return wayOf(written, from, look).end;
    const folder = wayOf(before, from, look).end;
    return folder === null ? null : joinPath(folder, last);
  }
  const path = resolve(from, written);
  return isAbsolutePath(path) ? path : null;
}
