import type { Stats } from "node:fs";
import { resolve } from "node:path";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  joinPath,
  knownPath,
  parentOf,
  ROOT,
} from "../profile/path.ts";
import { linkAt, statsOf } from "./nodes.ts";

/** Where a path leads, as far as may be looked. `unseen`: out of that, and nothing was looked at there. */
export interface Led {
  readonly path: AbsolutePath;
  readonly kind: "file" | "folder" | "missing" | "unseen";
}

/** As the kernel: path_resolution(7). */
const MOST_LINKS = 40;

/**
 * The most names that are passed on one way. The kernel has no such bound: a link holds up to two thousand names, and may lead to forty
 * others. Only a tool makes ways of thousands, and to follow them would keep all other calls waiting.
 */
const MOST_NAMES = 4_096;

/**
 * Where a path leads from a canonical folder, name by name as the kernel goes. Only what may be looked at is; all else
 * counts as folders that are there, so that what stands at any other path, and where it leads, plays no part in the answer.
 */
export function leadsTo(
  written: string,
  from: AbsolutePath,
  mayLook: (path: AbsolutePath) => boolean,
  look: Look = statsOf,
): Led {
  const names = namesIn(written).reverse();
  let at = written.startsWith("/") ? ROOT : from;
  let links = 0;
  let passed = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    passed += 1;
    if (passed > MOST_NAMES) return { path: at, kind: "missing" };
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
    const text = stats?.isSymbolicLink() === true && links < MOST_LINKS ? linkAt(next) : null;
    if (text === null)
      return {
        path: behind(next, names),
        kind: stats === null || stats.isSymbolicLink() || names.length > 0 ? "missing" : "file",
      };
    links += 1;
    if (text.startsWith("/")) at = ROOT;
    names.push(...namesIn(text).reverse());
  }
  if (!mayLook(at)) return { path: at, kind: "unseen" };
  return { path: at, kind: look(at)?.isDirectory() === true ? "folder" : "file" };
}

/** Behind a place where nothing is, the names are taken as they stand; last first. */
function behind(place: AbsolutePath, names: readonly string[]): AbsolutePath {
  let at = place;
  for (const name of names.toReversed()) at = name === ".." ? parentOf(at) : joinPath(at, name);
  return at;
}

function namesIn(text: string): string[] {
  return text.split("/").filter((name) => name !== "" && name !== ".");
}

/** The links below here are of whoever asks (proc(5)): what is asked inside leads elsewhere. */
export const OF_WHO_ASKS = knownPath("/proc");

/** `lstat`, or null when there is nothing or it can't be seen. */
export type Look = (path: AbsolutePath) => Stats | null;

/** A look that sees each place once. Paths in `missing` count as missing whatever stands there. */
export function lookingOnce(missing: ReadonlySet<AbsolutePath> = new Set(), look: Look = statsOf): Look {
  const seen = new Map<AbsolutePath, Stats | null>();
  return (path) => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const stats = missing.has(path) ? null : look(path);
    seen.set(path, stats);
    return stats;
  };
}

/** So many times less it costs to look at a place again. */
const AGAIN = 16;

/**
 * A look that ends once the places it was asked about have so many characters together: it sees nothing from then on. In a
 * deep tree each place costs the kernel as much as its path is long, and everything else waits. A place that was looked at
 * before counts for little.
 */
export class BoundedLook {
  readonly #look = lookingOnce(undefined, (path) => {
    this.#left -= path.length;
    return this.isOver ? null : statsOf(path);
  });
  #left: number;

  constructor(mostCharacters: number) {
    this.#left = mostCharacters;
  }

  /** True when something was not looked at: what was found since counts for nothing. */
  get isOver(): boolean {
    return this.#left < 0;
  }

  readonly at: Look = (path) => {
    this.#left -= path.length / AGAIN;
    return this.isOver ? null : this.#look(path);
  };
}

/** The way to where a path leads. */
export interface Way {
  /** Its end, canonical, of which the last name may be missing; null when it leads nowhere, or it depends on who asks. */
  readonly end: AbsolutePath | null;
  /** The links that are passed, each by its canonical folder. */
  readonly links: readonly AbsolutePath[];
  /** Those of them that are the end by another name: nothing stands behind them on the way. */
  readonly aliases: readonly AbsolutePath[];
  /** Every place that is passed, the end too: whoever can put another thing at one of them decides where it leads. */
  readonly places: readonly AbsolutePath[];
  /** True where it was not followed to its end: that is null then, and may be anything. */
  readonly isTooLong: boolean;
}

/**
 * Where a path leads from a canonical folder, name by name as the kernel goes: a link is followed before the `..` behind
 * it (path_resolution(7)). `look` is asked what stands at a place.
 */
export function wayOf(written: string, from: AbsolutePath, look: Look = statsOf): Way {
  const names = namesIn(written).reverse();
  const links: AbsolutePath[] = [];
  const aliases: AbsolutePath[] = [];
  const places: AbsolutePath[] = [];
  const nowhere: Way = { end: null, links, aliases, places, isTooLong: false };
  let passed = 0;
  let at = written.startsWith("/") ? ROOT : from;
  let own = names.length;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const isOwn = names.length < own;
    if (isOwn) own = names.length;
    passed += 1;
    if (passed > MOST_NAMES) return { ...nowhere, isTooLong: true };
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
    const text = links.length < MOST_LINKS ? linkAt(next) : null;
    if (text === null) return nowhere;
    links.push(next);
    if (names.length === 0) aliases.push(next);
    if (text.startsWith("/")) at = ROOT;
    names.push(...namesIn(text).reverse());
  }
  return { ...nowhere, end: at };
}

/** True for a path with a `..` behind a name, which may be a link: only the kernel knows what it leads to. */
export function hasDetour(written: string): boolean {
  return namesIn(written).some((name, at, names) => name === ".." && at > 0 && names[at - 1] !== "..");
}

/**
 * The path that is written, without `.` and `..`, its last name not followed, and of one without a detour no link. Null
 * when that can't be told.
 */
export function plainPath(written: string, from: AbsolutePath, look: Look = statsOf): AbsolutePath | null {
  if (hasDetour(written)) {
    const [, before = "", last = ""] = /^(.*\/)?([^/]*)$/su.exec(written) ?? [];
    if (last === "" || last === "." || last === "..") return wayOf(written, from, look).end;
    const folder = wayOf(before, from, look).end;
    return folder === null ? null : joinPath(folder, last);
  }
  const path = resolve(from, written);
  return isAbsolutePath(path) ? path : null;
}
