import { isAtMost } from "./access.ts";
import { type AbsolutePath, nameOf } from "./path.ts";
import { exactTest, nameTest, type PathTest, plainText } from "./pattern.ts";
import type { Mask } from "./profile.ts";

/** The tightest mask whose pattern matches the path itself, or null; folders above it are not looked at. */
export type MaskFinder = (path: AbsolutePath) => Mask | null;

/**
 * Compiles masks. Most patterns end in a name, plain or not, so a look at a path's last name spares nearly all of the
 * matching; the rest of a pattern is compiled when a path first gets that far.
 */
export function maskIndex(masks: readonly Mask[]): MaskFinder {
  const byName = new Map<string, Candidate[]>();
  const others: Candidate[] = [];
  for (const mask of masks) {
    const last = mask.pattern.segments.at(-1);
    const name = last?.kind === "name" ? plainText(last.pieces) : null;
    if (name !== null) append(byName, name.toLowerCase(), new Candidate(mask, ANY_NAME));
    else
      others.push(
        new Candidate(mask, last?.kind === "name" ? nameTest(last.pieces, mask.ignoreCase) : ANY_NAME),
      );
  }
  return (path) => {
    const name = nameOf(path);
    const named = byName.get(name.toLowerCase());
    return tightest(others, path, name, named === undefined ? null : tightest(named, path, name, null));
  };
}

/** The tighter of two masks; of equal ones the first. */
export function tighterMask(a: Mask | null, b: Mask): Mask {
  return a !== null && isAtMost(a.atMost, b.atMost) ? a : b;
}

const ANY_NAME = (): boolean => true;

class Candidate {
  readonly mask: Mask;
  /** What the last name of every match passes. */
  readonly #nameTest: (name: string) => boolean;
  #test: PathTest | null = null;

  constructor(mask: Mask, passes: (name: string) => boolean) {
    this.mask = mask;
    this.#nameTest = passes;
  }

  matches(path: AbsolutePath, name: string): boolean {
    if (!this.#nameTest(name)) return false;
    this.#test ??= exactTest(this.mask.pattern, this.mask.ignoreCase);
    return this.#test(path);
  }
}

function tightest(
  candidates: readonly Candidate[],
  path: AbsolutePath,
  name: string,
  known: Mask | null,
): Mask | null {
  let found = known;
  for (const candidate of candidates) {
    if (found?.atMost === "none") return found;
    if (candidate.matches(path, name)) found = tighterMask(found, candidate.mask);
  }
  return found;
}

function append(map: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [candidate]);
  else list.push(candidate);
}
