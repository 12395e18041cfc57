import fc from "fast-check";
import { expect } from "vitest";
import { type Access, lesser } from "../../src/profile/access.ts";
import { accessTo, type PathFacts } from "../../src/profile/access-to.ts";
import { BUILD_TREES, DEPENDENCY_TREES } from "../../src/profile/dependency-trees.ts";
import { everywhere } from "../../src/profile/mask-index.ts";
import { type AbsolutePath, isInside, nameOf, upwards } from "../../src/profile/path.ts";
import { exactTest } from "../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../src/profile/profile.ts";
import { probes, profileParts } from "../support/generate.ts";
import { law } from "./law.ts";

type AccessTo = (profile: Profile, path: AbsolutePath, facts: PathFacts) => Access;

law(
  "access is that of the nearest entry, capped by every mask on the path or a folder above it",
  (access: AccessTo) =>
    fc.property(profileParts, probes, (parts, asked) => {
      const profile = normalProfile(parts);
      for (const { path } of asked)
        expect(access(profile, path.path, path.facts)).toBe(read(parts, path.path, path.facts));
    }),
  accessTo,
  {
    "lets the topmost entry decide": (profile, path, facts) => {
      const top = profile.files.find((entry) => isInside(path, entry.path));
      return accessTo({ ...profile, files: top === undefined ? [] : [top] }, path, facts);
    },
    "takes names that begin alike for one folder": (profile, path, facts) => {
      const near = profile.files.findLast((entry) => path.startsWith(entry.path));
      return accessTo({ ...profile, files: near === undefined ? [] : [near] }, path, facts);
    },
    "lets masks speak of the path alone": capping((mask, path) =>
      exactTest(mask.pattern, mask.ignoreCase)(path),
    ),
    "lets globs hold for what is born inside": (profile, path, facts) =>
      accessTo(profile, path, { ...facts, bornInside: false }),
    "covers dependency and build trees": (profile, path, facts) =>
      accessTo({ ...profile, masks: profile.masks.map(everywhere) }, path, facts),
    "frees what is born inside of all masks": (profile, path, facts) =>
      accessTo(facts.bornInside ? { ...profile, masks: [] } : profile, path, facts),
    "lets the last mask decide": (profile, path, facts) =>
      accessTo({ ...profile, masks: profile.masks.slice(-1) }, path, facts),
    "lets a `read` mask grant read": (profile, path, facts) => {
      const access = accessTo(profile, path, facts);
      const isGranted = profile.masks.some((mask) => mask.atMost === "read" && holds(mask, path, facts));
      return access === "none" && isGranted ? "read" : access;
    },
    "asks about suffixes of folders": (profile, path, facts) =>
      accessTo(profile, path, { ...facts, kind: "file" }),
    "does not ask about suffixes": (profile, path, facts) =>
      accessTo(profile, path, { ...facts, kind: "folder" }),
    "minds the case always": (profile, path, facts) =>
      accessTo(
        { ...profile, masks: profile.masks.map((mask) => ({ ...mask, ignoreCase: false })) },
        path,
        facts,
      ),
  },
);

/** The definition, word for word and slow: it looks at every entry and every mask as they were written. */
function read({ files, masks }: Profile, path: AbsolutePath, facts: PathFacts): Access {
  const above = files.filter((entry) => isInside(path, entry.path));
  const longest = Math.max(...above.map((entry) => entry.path.length));
  const nearest = above.filter((entry) => entry.path.length === longest);
  if (nearest.length === 0) return "none";
  const isTaken = (entry: FileEntry): boolean =>
    facts.kind === "folder" ||
    entry.suffixes === "any" ||
    entry.suffixes.some((suffix) => nameOf(path).endsWith(suffix));
  const listed = nearest.every(isTaken) ? nearest.map((entry) => entry.access).reduce(lesser) : "none";
  return masks
    .filter((mask) => holds(mask, path, facts))
    .reduce<Access>((max, mask) => lesser(max, mask.atMost), listed);
}

function holds(mask: Mask, path: AbsolutePath, facts: PathFacts): boolean {
  if (mask.pattern.literal !== null && isInside(path, mask.pattern.literal)) return true;
  return !facts.bornInside && covers(mask, path);
}

function covers(mask: Mask, path: AbsolutePath): boolean {
  return [...upwards(path)].some(
    (at) => exactTest(mask.pattern, mask.ignoreCase)(at) && !isInTreeOf(mask, at),
  );
}

/** Whether a folder above the path, in the nearest root that the mask names, has the name of a dependency or build tree. */
function isInTreeOf({ exceptTreesOf, pattern }: Mask, path: AbsolutePath): boolean {
  if (exceptTreesOf === undefined || pattern.literal !== null) return false;
  const around = exceptTreesOf.filter((root) => isInside(path, root));
  const [nearest] = around.toSorted((a, b) => b.length - a.length);
  const above = [...upwards(path)].slice(1);
  const within = above.filter((at) => nearest === undefined || (at !== nearest && isInside(at, nearest)));
  return within.some((at) => Object.hasOwn({ ...DEPENDENCY_TREES, ...BUILD_TREES }, nameOf(at)));
}

/** The entries' access under those masks alone that are said to cover the path. */
function capping(coversPath: (mask: Mask, path: AbsolutePath) => boolean): AccessTo {
  return (profile, path, facts) =>
    accessTo({ ...profile, masks: profile.masks.filter((mask) => coversPath(mask, path)) }, path, facts);
}
