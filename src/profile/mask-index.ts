import { isAtMost } from "./access.ts";
import { isBelowTree } from "./dependency-trees.ts";
import type { AbsolutePath } from "./path.ts";
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
