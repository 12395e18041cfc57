import { type AbsolutePath, parentOf, upwards } from "../../profile/path.ts";
import { CLOCK_GRAIN_MS } from "./clock-grain.ts";
import type { Lstat } from "./leads.ts";
import { statsOf } from "./nodes.ts";

/**
 * True if a node was changed or created since a time (ms since 1970), by its `ctime`, which no program can set
 * (inode(7)). False if it is missing. A link is not followed.
 */
export function isChangedSince(path: AbsolutePath, moment: number, look: Lstat = statsOf): boolean {
  return (look(path)?.ctimeMs ?? Number.NEGATIVE_INFINITY) >= moment - CLOCK_GRAIN_MS;
}

/**
 * True if a folder above a path, below one of these roots, changed since: the path may have been moved there with it.
 */
export function mayBeBroughtSince(
  path: AbsolutePath,
  moment: number,
  roots: readonly AbsolutePath[],
  look: Lstat = statsOf,
): boolean {
  const above = [...upwards(parentOf(path))];
  const root = above.findIndex((at) => roots.includes(at));
  return above.slice(0, Math.max(0, root)).some((at) => isChangedSince(at, moment, look));
}
