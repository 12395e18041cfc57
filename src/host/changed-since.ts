import type { AbsolutePath } from "../profile/path.ts";
import { CLOCK_GRAIN_MS } from "./clock-grain.ts";
import { statsOf } from "./nodes.ts";

/**
 * True for what the kernel says was changed, or came to be, since a moment in milliseconds since 1970; false for what is not there. No
 * program can set that time (inode(7), `ctime`). A link is not followed.
 */
export function isChangedSince(path: AbsolutePath, moment: number): boolean {
  return (statsOf(path)?.ctimeMs ?? Number.NEGATIVE_INFINITY) >= moment - CLOCK_GRAIN_MS;
}
