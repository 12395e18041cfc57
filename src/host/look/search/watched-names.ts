import type { Stats } from "node:fs";
import { isInTree } from "../../../profile/dependency-trees.ts";
import { OURSELVES } from "../../../profile/executed.ts";
import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { STARTED_BEFORE_US } from "../installation/path-folders.ts";
import type { Remembered } from "./folder.ts";
import type { Memory } from "./searchable.ts";

/** Maximum of names below one granted folder. If there are more, none is listed. */
const MAX_NAMES = 20_000;

const FOLDERS_AT_A_TIME = 512;

/** A path with the identity of its folder: another folder may be at that path later. */
export function placeOfName({ dev, ino }: Pick<Stats, "dev" | "ino">, path: AbsolutePath): string {
  return `${dev}:${ino}:${path}`;
}

/**
 * Lists the watched names below a granted folder, each in the form of `placeOfName`, in steps. In trees of installed
 * packages only names count that could replace a command of ours. Empty if there are too many.
 */
export function* watchedNames(start: AbsolutePath, memory: Memory): Generator<void, readonly string[]> {
  const found: string[] = [];
  let passed = 0;
  for (const [folder, seen] of memory) {
    if (seen.watched === null) continue;
    const known = KNOWN.get(seen);
    if (known === undefined || ++passed % FOLDERS_AT_A_TIME === 0) yield;
    found.push(...(known ?? namesOf(folder, start, seen)));
    if (found.length > MAX_NAMES) return [];
  }
  return found;
}

/** The names of each folder that was read: the same until it is read again. */
const KNOWN = new WeakMap<Remembered, readonly string[]>();

function namesOf(folder: AbsolutePath, start: AbsolutePath, seen: Remembered): readonly string[] {
  const all = [...(seen.watched?.keys() ?? [])].slice(0, MAX_NAMES + 1);
  const names = isInTree(folder, start) ? all.filter((name) => COMMANDS.has(name.toLowerCase())) : all;
  const places = names.map((name) => placeOfName(seen.stamp, joinPath(folder, name)));
  KNOWN.set(seen, places);
  return places;
}

const COMMANDS: ReadonlySet<string> = new Set([OURSELVES, ...STARTED_BEFORE_US]);
