import { isAtMost } from "./access.ts";
import type { AbsolutePath } from "./path.ts";
import { patternIndex } from "./pattern-index.ts";
import type { Mask } from "./profile.ts";

/** The tightest mask whose pattern matches the path itself, or null; folders above it are not looked at. */
export type MaskFinder = (path: AbsolutePath) => Mask | null;

/** Compiles masks for many looks. */
export function maskIndex(masks: readonly Mask[]): MaskFinder {
  const find = patternIndex(masks);
  return (path) => {
    let tightest: Mask | null = null;
    for (const mask of find(path)) tightest = tighterMask(tightest, mask);
    return tightest;
  };
}

/** The tighter of two masks; of equal ones the first. */
export function tighterMask(a: Mask | null, b: Mask): Mask {
  return a !== null && isAtMost(a.atMost, b.atMost) ? a : b;
}
