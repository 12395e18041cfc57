import { type Access, isAtMost } from "../../profile/access.ts";
import { type AbsolutePath, ROOT, upwards } from "../../profile/path.ts";
import type { FileEntry } from "../../profile/profile.ts";
import { type Suffixes, sameSuffixes } from "../../profile/suffix.ts";

/** What the entries give from a path on, until the reaches below it say otherwise. `none` gives nothing. */
export interface Reach {
  readonly path: AbsolutePath;
  readonly gives: Suffixes | "none";
  /** What surrounds it; null for the root of all, which gives nothing. */
  readonly above: Reach | null;
  readonly below: readonly Reach[];
}

interface GrowingReach extends Reach {
  readonly below: GrowingReach[];
}

/**
 * Where what is given of one access begins and ends: the entries without those that repeat what surrounds them. For
 * every path the nearest reach gives what the nearest entry gives. Entries have one path each, in the order of `byPath`.
 */
export function reachesOf(files: readonly FileEntry[], access: Exclude<Access, "none">): readonly Reach[] {
  const found = new Map<AbsolutePath, GrowingReach>();
  const top: GrowingReach = { path: ROOT, gives: "none", above: null, below: [] };
  for (const entry of files) {
    const gives = isAtMost(access, entry.access) ? entry.suffixes : "none";
    const above = nearest(found, entry.path) ?? top;
    if (givesSame(gives, above.gives)) continue;
    const reach: GrowingReach = { path: entry.path, gives, above, below: [] };
    above.below.push(reach);
    found.set(entry.path, reach);
  }
  return [...found.values()];
}

function nearest(found: ReadonlyMap<AbsolutePath, GrowingReach>, path: AbsolutePath): GrowingReach | null {
  for (const at of upwards(path)) {
    const reach = found.get(at);
    if (reach !== undefined) return reach;
  }
  return null;
}

function givesSame(a: Suffixes | "none", b: Suffixes | "none"): boolean {
  return a === "none" || b === "none" ? a === b : sameSuffixes(a, b);
}
