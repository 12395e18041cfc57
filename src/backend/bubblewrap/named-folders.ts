import { type AbsolutePath, namesOf, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { exactTest, type PathTest, type Pattern } from "../../profile/pattern.ts";
import type { Profile } from "../../profile/profile.ts";

/** A `none` mask that is looked for, with its test. */
interface Searched {
  readonly pattern: Pattern;
  readonly test: PathTest;
}

/** A profile is a value: what was compiled from it once holds for as long as anyone has it. */
const compiled = new WeakMap<Profile, readonly Searched[]>();

/**
 * The folders above a path that a `none` glob hides which must keep their names and places, or the glob would not find it
 * at the next call: `*.key` below any folder is found wherever it is moved, `deploy/certs/*.key` only there. Of
 * several globs that
 * hide the path the one that needs the fewest is enough. None for a path that no `none` glob matches by itself.
 */
export function foldersNamedFor(profile: Profile, path: AbsolutePath): readonly AbsolutePath[] {
  const needs = searchedOf(profile)
    .filter(({ test }) => test(path))
    .map(({ pattern }) => namedAbove(pattern, path));
  return needs.sort((a, b) => a.length - b.length)[0] ?? [];
}

function searchedOf(profile: Profile): readonly Searched[] {
  const known = compiled.get(profile);
  if (known !== undefined) return known;
  const searched = profile.masks
    .filter((mask) => mask.atMost === "none" && (mask.pattern.literal === null || mask.ignoreCase))
    .map(({ pattern, ignoreCase }) => ({ pattern, test: exactTest(pattern, ignoreCase) }));
  compiled.set(profile, searched);
  return searched;
}

/**
 * Folders that the pattern's names match: those before its first `**` and behind its last. Names between two could be
 * any.
 */
function namedAbove({ segments }: Pattern, path: AbsolutePath): readonly AbsolutePath[] {
  const above = [...upwards(parentOf(path))].filter((at) => at !== ROOT);
  const first = segments.findIndex((segment) => segment.kind === "any-names");
  const last = segments.findLastIndex((segment) => segment.kind === "any-names");
  const hasNamesBetween = segments.slice(first, last).some((segment) => segment.kind === "name");
  if (first < 0 || hasNamesBetween) return above;
  const unnamedUntil = namesOf(path).length - (segments.length - 1 - last);
  return above.filter((at) => {
    const depth = namesOf(at).length;
    return depth <= first || depth > unnamedUntil;
  });
}
