import type { Stats } from "node:fs";
import { isInTree } from "../../profile/dependency-trees.ts";
import { OURSELVES } from "../../profile/executed.ts";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { STARTED_BEFORE_US } from "../installation/path-folders.ts";
import type { Remembered } from "./folder.ts";
import type { Memory } from "./searchable.ts";

/** Of more names below one granted folder none is told. */
const MOST_NAMES = 20_000;

/** Between two looks at the clock so many folders are passed of which nothing is new. */
const FOLDERS_AT_A_TIME = 512;

/** A path, and which folder it was in: another one may have come to stand there. */
export function placeOfName({ dev, ino }: Pick<Stats, "dev" | "ino">, path: AbsolutePath): string {
  return `${dev}:${ino}:${path}`;
}

/**
 * What is watched for below a granted folder, each as `placeOfName` has it, in steps: outside of trees of installed packages, and of
 * those what stands in for a command of ours. None where that is too much.
 */
export function* watchedNames(start: AbsolutePath, memory: Memory): Generator<void, readonly string[]> {
  const found: string[] = [];
  let passed = 0;
  for (const [folder, seen] of memory) {
    if (seen.watched === null) continue;
    const known = KNOWN.get(seen);
    if (known === undefined || ++passed % FOLDERS_AT_A_TIME === 0) yield;
    found.push(...(known ?? namesOf(folder, start, seen)));
    if (found.length > MOST_NAMES) return [];
  }
  return found;
}

/** A folder that is as it was when it was last read says the same. */
const KNOWN = new WeakMap<Remembered, readonly string[]>();

function namesOf(folder: AbsolutePath, start: AbsolutePath, seen: Remembered): readonly string[] {
  const all = [...(seen.watched?.keys() ?? [])].slice(0, MOST_NAMES + 1);
  const names = isInTree(folder, start) ? all.filter((name) => COMMANDS.has(name.toLowerCase())) : all;
  const places = names.map((name) => placeOfName(seen.stamp, joinPath(folder, name)));
  KNOWN.set(seen, places);
  return places;
}

const COMMANDS: ReadonlySet<string> = new Set([OURSELVES, ...STARTED_BEFORE_US]);
