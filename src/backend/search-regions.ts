import { isAtMost } from "../profile/access.ts";
import { type AbsolutePath, foldedPath, isInside, upwards } from "../profile/path.ts";
import { literalPrefix } from "../profile/pattern.ts";
import type { Mask, Profile } from "../profile/profile.ts";

/** A folder to search, and the masks that matter in it; none if the search is for repositories only. */
export interface Region {
  readonly start: AbsolutePath;
  /** The key of remembered results: equal for all profiles with the same masks. */
  readonly key: string;
  readonly masks: readonly Mask[];
}

/** Profiles are immutable: a result computed once holds for as long as the profile exists. */
const known = new WeakMap<Profile, readonly Region[]>();

/** The folders to search for matches of globs and for repositories. None lies in another with all of its masks. */
export function regionsOf(profile: Profile): readonly Region[] {
  const before = known.get(profile);
  if (before !== undefined) return before;
  const regions = partsOf(profile).map(named);
  known.set(profile, regions);
  return regions;
}

type Part = Omit<Region, "key">;

function named({ start, masks }: Part): Region {
  const texts = masks.map((mask) => `${mask.pattern.text}${mask.atMost}${mask.ignoreCase}`);
  return { start, key: `${start} ${texts.join(" ")}`, masks };
}

/** Only masks that would lower an entry matter, and only in places that both cover. */
function partsOf(profile: Profile): readonly Part[] {
  const masksAt = new Map<AbsolutePath, Set<Mask>>();
  for (const { path, access } of profile.files) if (access === "write") masksAt.set(path, new Set());
  for (const mask of profile.masks) {
    if (mask.pattern.literal !== null && !mask.ignoreCase) continue;
    const prefix = literalPrefix(mask.pattern);
    for (const entry of profile.files) {
      if (isAtMost(entry.access, mask.atMost)) continue;
      const start = startOf(mask, prefix, entry.path);
      if (start !== null) masksAt.set(start, (masksAt.get(start) ?? new Set()).add(mask));
    }
  }
  const hasAll = (at: AbsolutePath, masks: ReadonlySet<Mask>): boolean => {
    const there = masksAt.get(at);
    return there !== undefined && [...masks].every((mask) => there.has(mask));
  };
  const isCovered = (start: AbsolutePath, masks: ReadonlySet<Mask>): boolean =>
    [...upwards(start)].some((at) => at !== start && hasAll(at, masks));
  return [...masksAt].flatMap(([start, masks]) =>
    isCovered(start, masks) ? [] : [{ start, masks: [...masks] }],
  );
}

/** `ignoreCase` allows other spellings of the granted folder. */
function startOf({ ignoreCase }: Mask, prefix: AbsolutePath, granted: AbsolutePath): AbsolutePath | null {
  const spell = (path: AbsolutePath): AbsolutePath => (ignoreCase ? foldedPath(path) : path);
  if (isInside(spell(granted), spell(prefix))) return granted;
  if (!isInside(spell(prefix), spell(granted))) return null;
  return ignoreCase ? granted : prefix;
}
