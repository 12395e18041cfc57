import { type AbsolutePath, isInside, namesOf, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { literalPattern } from "../../profile/pattern.ts";
import { normalProfile, type Profile } from "../../profile/profile.ts";
import type { Facts } from "../facts.ts";
import type { Limit, Refusal } from "../plan.ts";
import type { ApproximationName } from "./approximations.ts";
import { type Change, type Transitions, transitions } from "./transitions.ts";

/** More mounts than this no plan makes: the cost of a launch grows with their square. */
export const MOST_MOUNTS = 256;

/** So many folders are closed as a whole before a plan is refused instead. */
const MAX_CLOSED = 16;

/** A profile, and the mounts that it comes to. */
export interface WithinMounts {
  readonly profile: Profile;
  readonly found: Transitions;
  readonly limits: readonly Limit[];
}

/**
 * The mounts of a profile, with folders read-only, or hidden, as a whole that hold more protected names than mounts can be made for:
 * below folders that are granted, and none of them itself. There may still be too many.
 * Law: what the result gives at a path is never more than what the profile gives there.
 */
export function withinMounts(given: Profile, facts: Facts, most: number): WithinMounts | Refusal {
  let profile = given;
  const limits: Limit[] = [];
  for (;;) {
    const found = transitions(profile, facts);
    if ("reason" in found) return found;
    const closed = limits.length < MAX_CLOSED ? folderToClose(profile, found.changes, most) : null;
    if (closed === null) return { profile, found, limits };
    const { path, atMost, count } = closed;
    const mask = { pattern: literalPattern(path), atMost, ignoreCase: false } as const;
    profile = normalProfile({ ...profile, masks: [...profile.masks, mask] });
    const how = atMost === "none" ? "hidden" : "read-only";
    const reason = `${path} holds ${count} protected names, and more than ${most} mounts would be needed, so it is ${how}`;
    const remedy = `have less protected below it, or make ${path} a root of its own in another config: ${most} mounts is the most of one call`;
    limits.push({
      name: "mount-budget" satisfies ApproximationName,
      path,
      atMost,
      except: null,
      reason,
      remedy,
    });
  }
}

interface Closed {
  readonly path: AbsolutePath;
  readonly atMost: "none" | "read";
  readonly count: number;
}

/** The smallest folder that makes them few enough, or the one that spares most; null where they are few enough, or none does. */
function folderToClose(profile: Profile, changes: readonly Change[], most: number): Closed | null {
  const excess = changes.length - most;
  if (excess <= 0) return null;
  const best = (["read", "none"] as const).flatMap((atMost) => {
    const counts = countsByFolder(profile, changes, atMost);
    const closed = [...counts].map(([path, count]): Closed => ({ path, atMost, count }));
    const enough = closed.filter(({ count }) => count > excess).toSorted(deepestFirst);
    const fullest = closed.filter(({ count }) => count > 1).toSorted((a, b) => b.count - a.count);
    return enough[0] ?? fullest[0] ?? [];
  });
  return best.find(({ count }) => count > excess) ?? best.toSorted((a, b) => b.count - a.count)[0] ?? null;
}

/** How many mounts of masks would not be needed, were a folder no more than that. */
function countsByFolder(
  { files }: Profile,
  changes: readonly Change[],
  atMost: Closed["atMost"],
): ReadonlyMap<AbsolutePath, number> {
  const granted = new Set(files.map(({ path }) => path));
  const counts = new Map<AbsolutePath, number>();
  for (const { path, kind, access } of changes) {
    if (granted.has(path) || (kind !== "pin" && access !== atMost)) continue;
    for (const folder of upwards(parentOf(path))) {
      if (granted.has(folder) || folder === ROOT) break;
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  for (const folder of counts.keys())
    if (files.some(({ path }) => isInside(path, folder))) counts.delete(folder);
  return counts;
}

function deepestFirst(a: Closed, b: Closed): number {
  return namesOf(b.path).length - namesOf(a.path).length || a.count - b.count || (a.path < b.path ? -1 : 1);
}
