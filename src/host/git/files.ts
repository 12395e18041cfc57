import { type Stats, statSync } from "node:fs";
import { type AbsolutePath, pathFromBytes } from "../../profile/path.ts";
import { systemPath } from "../nodes.ts";
import { openPlainFile } from "../plain-file.ts";

/** No file of git's that is obeyed is larger. */
const MOST_BYTES = 4 * 1024 ** 2;

/** What changed a moment ago may change again within the same tick of the clock, in milliseconds. */
const GRAIN_MS = 50;

/** What a plain file says, bytes kept as in paths; empty when there is none, or it can't be read, or is too large. */
export function textAt(path: AbsolutePath): string {
  try {
    using file = openPlainFile(systemPath(path));
    return file === null || file.stats.size > MOST_BYTES ? "" : pathFromBytes(file.read());
  } catch {
    return "";
  }
}

/** Of what a path leads to, through links; null where that is nothing. */
export function targetStatsOf(path: AbsolutePath): Stats | null {
  try {
    return statSync(systemPath(path), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** What was read of paths, for as long as what stands there is as it was then. */
export class AsRead<Value> {
  readonly #known = new Map<AbsolutePath, { readonly state: string; readonly value: Value }>();

  /** What was read of this state before, or is read now. */
  at(path: AbsolutePath, stats: Stats, read: () => Value): Value {
    const known = this.#known.get(path);
    const state = stateOf(stats);
    if (known?.state === state) return known.value;
    const value = read();
    if (Date.now() - stats.ctimeMs > GRAIN_MS) this.#known.set(path, { state, value });
    return value;
  }
}

function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}
