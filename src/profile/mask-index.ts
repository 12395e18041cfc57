import { isAtMost } from "./access.ts";
import { isBelowTree } from "./dependency-trees.ts";
import { type AbsolutePath, isInside, parentOf, upwards } from "./path.ts";
import { patternIndex } from "./pattern-index.ts";
import type { Mask } from "./profile.ts";

/** The tightest mask that covers the path by its own name, or null; folders above it are ignored. */
export type MaskFinder = (path: AbsolutePath) => Mask | null;

/** Compiles masks for many searches. */
export function maskIndex(masks: readonly Mask[]): MaskFinder {
  const find = patternIndex(masks);
  return (path) => {
    let tightest: Mask | null = null;
    for (const mask of find(path)) if (!isExcepted(mask, path)) tightest = tighterMask(tightest, mask);
    return tightest;
  };
}

/** Finds the masks that a path through a link passes on to its target. */
export type PassedMasks = (path: AbsolutePath, link: AbsolutePath) => readonly Mask[];

/**
 * Compiles masks: those that cover the path, or a folder of it behind the link, by its own name. A folder above the link
 * that a mask hides does not count, as its links may lead to whole projects; nor does it take away from other masks. So
 * a `none` mask that covers a folder above the link is not passed on, and a further mask never shortens the result.
 */
export function passedMasks(masks: readonly Mask[]): PassedMasks {
  // Most plans have no such link.
  let find: ReturnType<typeof patternIndex<Mask>> | null = null;
  const covering = (at: AbsolutePath): readonly Mask[] => {
    find ??= patternIndex(masks);
    return find(at).filter((mask) => !isExcepted(mask, at));
  };
  return (path, link) => {
    const found = [...upwards(path)].filter((at) => isInside(at, link)).flatMap(covering);
    if (found.every(({ atMost }) => atMost === "read")) return found;
    const above = new Set([...upwards(parentOf(link))].flatMap(covering));
    return found.filter((mask) => mask.atMost === "read" || !above.has(mask));
  };
}

/** The mask without its exceptions, for searches that also find exempt paths. */
export function everywhere({ pattern, atMost, ignoreCase }: Mask): Mask {
  return { pattern, atMost, ignoreCase };
}

function isExcepted({ pattern, exceptTreesOf }: Mask, path: AbsolutePath): boolean {
  return exceptTreesOf !== undefined && pattern.literal === null && isBelowTree(path, exceptTreesOf);
}

/** The tighter of two masks; of equal ones the first. */
export function tighterMask(a: Mask | null, b: Mask): Mask {
  return a !== null && isAtMost(a.atMost, b.atMost) ? a : b;
}
