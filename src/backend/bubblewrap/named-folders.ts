import { type AbsolutePath, namesOf, parentOf, ROOT, upwards } from "../../profile/path.ts";
import { exactTest, type PathTest, type Pattern } from "../../profile/pattern.ts";
import type { Profile } from "../../profile/profile.ts";

interface Searched {
  readonly pattern: Pattern;
  readonly test: PathTest;
}

/** Profiles are immutable: compiled globs hold for as long as the profile exists. */
const compiled = new WeakMap<Profile, readonly Searched[]>();

/**
 * The folders above a hidden path whose names its `none` glob needs: for `deploy/certs/*.key` both, for `*.key` none.
 * If several globs hide the path, the one with the fewest counts.
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

/** Folders named before the pattern's first `**` and after its last. Names between two could be any. */
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
