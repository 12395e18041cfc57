import { isAtMost } from "../profile/access.ts";
import { type MaskFinder, maskIndex } from "../profile/mask-index.ts";
import { type AbsolutePath, isInside, knownPath } from "../profile/path.ts";
import { literalPrefix } from "../profile/pattern.ts";
import type { Mask, Profile } from "../profile/profile.ts";

/** A folder to search, and the masks that matter in it, compiled. */
export interface Region {
  readonly start: AbsolutePath;
  /** Under which name what was seen is remembered: by all profiles with the same masks. */
  readonly key: string;
  readonly find: MaskFinder;
  /** For what lies below a hidden folder; null where no mask speaks of that. */
  readonly findLasting: MaskFinder | null;
}

/** The folders to search for what glob masks of the profile cover. None lies in another that has all of its masks. */
export function regionsOf(profile: Profile): readonly Region[] {
  return partsOf(profile).map(compile);
}

/** A folder, and the masks that matter in it. */
interface Part {
  readonly start: AbsolutePath;
  readonly masks: readonly Mask[];
}

function compile({ start, masks }: Part): Region {
  const lasting = masks.filter((mask) => mask.atMost === "read");
  const texts = masks.map((mask) => `${mask.pattern.text}${mask.atMost}${mask.ignoreCase}`);
  return {
    start,
    key: `${start} ${texts.join(" ")}`,
    find: maskIndex(masks),
    findLasting: lasting.length === 0 ? null : maskIndex(lasting),
  };
}

/** Only masks that would lower an entry matter, and only where both reach. */
function partsOf(profile: Profile): readonly Part[] {
  const masksAt = new Map<AbsolutePath, Set<Mask>>();
  for (const mask of profile.masks) {
    if (mask.pattern.literal !== null && !mask.ignoreCase) continue;
    const prefix = literalPrefix(mask.pattern);
    for (const entry of profile.files) {
      if (isAtMost(entry.access, mask.atMost)) continue;
      const start = startOf(mask, prefix, entry.path);
      if (start !== null) masksAt.set(start, (masksAt.get(start) ?? new Set()).add(mask));
    }
  }
  const all = [...masksAt].map(([start, masks]): Part => ({ start, masks: [...masks] }));
  const isCovered = (part: Part): boolean =>
    all.some(
      (other) =>
        other.start !== part.start &&
        isInside(part.start, other.start) &&
        part.masks.every((mask) => other.masks.includes(mask)),
    );
  return all.filter((part) => !isCovered(part));
}

/** Where a mask's matches begin in a granted folder; in any case, they may be spelled in another way than the mask. */
function startOf({ ignoreCase }: Mask, prefix: AbsolutePath, granted: AbsolutePath): AbsolutePath | null {
  const spell = (path: AbsolutePath): AbsolutePath =>
    ignoreCase ? knownPath(path.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())) : path;
  if (isInside(spell(granted), spell(prefix))) return granted;
  if (!isInside(spell(prefix), spell(granted))) return null;
  return ignoreCase ? granted : prefix;
}
