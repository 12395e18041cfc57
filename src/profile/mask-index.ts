import { isAtMost } from "./access.ts";
import { type AbsolutePath, nameOf } from "./path.ts";
import { exactTest, type PathTest, plainText } from "./pattern.ts";
import type { Mask } from "./profile.ts";

/** The tightest mask whose pattern matches the path itself, or null; folders above it are not looked at. */
export type MaskFinder = (path: AbsolutePath) => Mask | null;

/**
 * Compiles masks. Most patterns end in a plain name, so a look at a path's last name spares nearly all of the matching;
 * a pattern is compiled when a path first gets that far.
 */
export function maskIndex(masks: readonly Mask[]): MaskFinder {
  const byName = new Map<string, Candidate[]>();
  const others: Candidate[] = [];
  for (const mask of masks) {
    const candidate = new Candidate(mask);
    const last = mask.pattern.segments.at(-1);
    const name = last?.kind === "name" ? plainText(last.pieces) : null;
    if (name === null) others.push(candidate);
    else append(byName, name.toLowerCase(), candidate);
  }
  return (path) => {
    const named = byName.get(nameOf(path).toLowerCase());
    return tightest(others, path, named === undefined ? null : tightest(named, path, null));
  };
}

/** The tighter of two masks; of equal ones the first. */
export function tighterMask(a: Mask | null, b: Mask): Mask {
  return a !== null && isAtMost(a.atMost, b.atMost) ? a : b;
}

class Candidate {
  readonly mask: Mask;
  #test: PathTest | null = null;

  constructor(mask: Mask) {
    this.mask = mask;
  }

  matches(path: AbsolutePath): boolean {
    this.#test ??= exactTest(this.mask.pattern, this.mask.ignoreCase);
    return this.#test(path);
  }
}

function tightest(candidates: readonly Candidate[], path: AbsolutePath, known: Mask | null): Mask | null {
  let found = known;
  for (const candidate of candidates) {
    if (found?.atMost === "none") return found;
    if (candidate.matches(path)) found = tighterMask(found, candidate.mask);
  }
  return found;
}

function append(map: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [candidate]);
  else list.push(candidate);
}
