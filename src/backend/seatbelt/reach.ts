import { type Access, isAtMost } from "../../profile/access.ts";
import { type AbsolutePath, nearestIn, ROOT } from "../../profile/path.ts";
import type { FileEntry } from "../../profile/profile.ts";
import { type Suffixes, sameSuffixes } from "../../profile/suffix.ts";

/** The access of the entries from a path on, until the reaches below it. `none` gives nothing. */
export interface EntryReach {
  readonly path: AbsolutePath;
  readonly gives: Suffixes | "none";
  /** The reach around it; null for the root of all, which gives nothing. */
  readonly above: EntryReach | null;
  readonly below: readonly EntryReach[];
}

interface GrowingReach extends EntryReach {
  readonly below: GrowingReach[];
}

/**
 * The reaches of one access: the entries without those that repeat their surroundings. For every path the nearest reach
 * gives the access of the nearest entry. Entries have one path each, in the order of `byPath`.
 */
export function reachesOf(
  files: readonly FileEntry[],
  access: Exclude<Access, "none">,
): readonly EntryReach[] {
  const found = new Map<AbsolutePath, GrowingReach>();
  const top: GrowingReach = { path: ROOT, gives: "none", above: null, below: [] };
  for (const entry of files) {
    const gives = isAtMost(access, entry.access) ? entry.suffixes : "none";
    const above = nearestIn(found, entry.path) ?? top;
    const isNone = gives === "none" || above.gives === "none";
    if (isNone ? gives === above.gives : sameSuffixes(gives, above.gives)) continue;
    const reach: GrowingReach = { path: entry.path, gives, above, below: [] };
    above.below.push(reach);
    found.set(entry.path, reach);
  }
  return [...found.values()];
}
