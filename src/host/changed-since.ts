import { type AbsolutePath, parentOf, upwards } from "../profile/path.ts";
import { CLOCK_GRAIN_MS } from "./clock-grain.ts";
import type { Look } from "./leads.ts";
import { statsOf } from "./nodes.ts";

/**
 * True for what the kernel says was changed, or came to be, since a moment in milliseconds since 1970; false for what is not there. No
 * program can set that time (inode(7), `ctime`). A link is not followed.
 */
export function isChangedSince(path: AbsolutePath, moment: number, look: Look = statsOf): boolean {
  return (look(path)?.ctimeMs ?? Number.NEGATIVE_INFINITY) >= moment - CLOCK_GRAIN_MS;
}

/**
 * True where a folder above a path, below one of these roots, was changed since: the thing may have been brought there with its folder.
 * A rename changes the folder that is renamed, and nothing in it.
 */
export function mayBeBroughtSince(
  path: AbsolutePath,
  moment: number,
  roots: readonly AbsolutePath[],
  look: Look = statsOf,
): boolean {
  const above = [...upwards(parentOf(path))];
  const root = above.findIndex((at) => roots.includes(at));
  return above.slice(0, Math.max(0, root)).some((at) => isChangedSince(at, moment, look));
}
