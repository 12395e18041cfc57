import fc from "fast-check";
import type { Access } from "../../../src/profile/access.ts";
import { type AbsolutePath, joinPath, parentOf } from "../../../src/profile/path.ts";
import { literalPattern, parsePatterns } from "../../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../../src/profile/profile.ts";
import type { Suffixes } from "../../../src/profile/suffix.ts";
import { NAMES, type Tree } from "./tree.ts";

/** A path of a tree that is not on disk yet: a thing by its number, or something below it that may be missing. */
interface Spot {
  readonly number: number;
  readonly below: readonly string[];
}

interface EntrySketch {
  readonly spot: Spot;
  readonly access: Access;
  readonly suffixes: Suffixes;
}

/** A mask on a spot, or a glob below one; `everywhere` begins with `/**`. */
interface MaskSketch {
  readonly pattern:
    | { readonly kind: "literal"; readonly spot: Spot }
    | { readonly kind: "glob"; readonly spot: Spot; readonly text: string }
    | { readonly kind: "everywhere"; readonly text: string };
  readonly atMost: "none" | "read";
  readonly ignoreCase: boolean;
}

/** A profile about a tree that is not on disk yet. */
export interface ProfileSketch {
  /** What the two roots of the tree have: `w`, and the folder next to it; null where nothing is said. */
  readonly roots: readonly [EntrySketch["access"] | null, EntrySketch["access"] | null];
  readonly suffixes: Suffixes;
  readonly entries: readonly EntrySketch[];
  readonly masks: readonly MaskSketch[];
}

const number = fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 4, arbitrary: fc.nat(40) });
const below = fc.oneof(
  { weight: 5, arbitrary: fc.constant<readonly string[]>([]) },
  { weight: 3, arbitrary: fc.constantFrom(...NAMES).map((one) => [one]) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 3 }) },
);
const spot: fc.Arbitrary<Spot> = fc.record({ number, below });
const suffixes: fc.Arbitrary<Suffixes> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Suffixes>("any") },
  fc.constantFrom<Suffixes>([".md"], [".gz", ".env"]),
);

const entry: fc.Arbitrary<EntrySketch> = fc.record({
  spot,
  access: fc.constantFrom("none", "read", "write", "write"),
  suffixes,
});

const GLOBS = [
  "**/.env",
  "**/.git",
  "**/.git/config",
  "**/config",
  "**/CONFIG",
  "**/.Env",
  "*",
  "*/*",
  "**/*.md",
  ".[eg]*",
  "**/?",
  "**/[ab]",
  "**/x.*",
  "*/**",
  "*/.env",
  "**/[!ab]*/*",
] as const;
const mask: fc.Arbitrary<MaskSketch> = fc.oneof(
  {
    weight: 6,
    arbitrary: maskOf(fc.record({ kind: fc.constant("literal" as const), spot }), [
      false,
      false,
      false,
      true,
    ]),
  },
  {
    weight: 6,
    arbitrary: maskOf(
      fc.record({ kind: fc.constant("glob" as const), spot, text: fc.constantFrom(...GLOBS) }),
      [false, true],
    ),
  },
  // What takes reading away everywhere would be searched for in the whole system, which is slow.
  {
    weight: 1,
    arbitrary: maskOf(
      fc.record({
        kind: fc.constant("everywhere" as const),
        text: fc.constantFrom("**/.git", "**/config", ".env", "**/.git/*"),
      }),
      [false, true],
    ).map((one): MaskSketch => ({ ...one, atMost: "read" })),
  },
);

function maskOf(
  pattern: fc.Arbitrary<MaskSketch["pattern"]>,
  ignoreCase: readonly boolean[],
): fc.Arbitrary<MaskSketch> {
  return fc.record({
    pattern,
    atMost: fc.constantFrom("none", "read"),
    ignoreCase: fc.constantFrom(...ignoreCase),
  });
}

export const profileSketch: fc.Arbitrary<ProfileSketch> = fc.record({
  roots: fc.tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.constant("write" as const) },
      { weight: 1, arbitrary: fc.constantFrom("read", "none", null) },
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant("write" as const) },
      { weight: 1, arbitrary: fc.constantFrom("read", null) },
    ),
  ),
  suffixes: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Suffixes>("any") },
    fc.constant<Suffixes>([".md", ".env"]),
  ),
  entries: fc.array(entry, { maxLength: 4 }),
  masks: fc.array(mask, { maxLength: 3 }),
});

/** The profile, now that the tree is on disk. What programs need to start can be read, whatever the sketch says. */
export function profileOver(tree: Tree, sketch: ProfileSketch, system: readonly AbsolutePath[]): Profile {
  const { roots, entries, masks } = sketch;
  const ofRoots = tree.roots.flatMap((path, at): FileEntry[] => {
    const access = roots[at === 0 ? 0 : 1];
    return access === null ? [] : [{ path, access, suffixes: at === 0 ? sketch.suffixes : "any" }];
  });
  const ofCrowd =
    tree.crowd === null ? [] : [{ path: tree.crowd, access: "write", suffixes: [".md"] } as const];
  return normalProfile({
    files: [
      ...system.map((path): FileEntry => ({ path, access: "read", suffixes: "any" })),
      ...ofRoots,
      ...ofCrowd,
      ...entries.map(
        (one): FileEntry => ({ path: pathOf(tree, one.spot), access: one.access, suffixes: one.suffixes }),
      ),
    ],
    masks: masks.flatMap((one) => maskOver(tree, one)),
  });
}

function maskOver(tree: Tree, { pattern, atMost, ignoreCase }: MaskSketch): readonly Mask[] {
  const masks = (text: string, variables = {}): readonly Mask[] =>
    parsePatterns(text, variables).map((parsed) => ({ pattern: parsed, atMost, ignoreCase }));
  switch (pattern.kind) {
    case "literal":
      return [{ pattern: literalPattern(pathOf(tree, pattern.spot)), atMost, ignoreCase }];
    case "glob":
      return masks(`\${folder}/${pattern.text}`, { folder: folderAt(tree, pattern.spot.number) });
    case "everywhere":
      return masks(pattern.text);
  }
}

/** Nobody can write a path that is no UTF-8, so no profile is about a missing one. */
function pathOf(tree: Tree, { number: at, below: names }: Spot): AbsolutePath {
  const thing = tree.things[at % tree.things.length];
  const path = thing?.path ?? tree.place;
  return names.every((name) => name.isWellFormed()) && path.isWellFormed() && names.length > 0
    ? joinPath(path, names.join("/"))
    : path;
}

/** The folder of a thing. No pattern can be written about some names; then it is about the whole tree. */
function folderAt(tree: Tree, number: number): AbsolutePath {
  const thing = tree.things[number % tree.things.length];
  const folder =
    thing === undefined ? tree.place : thing.kind === "folder" ? thing.path : parentOf(thing.path);
  return /[\p{Cc}\p{Cs}\\]/u.test(folder) ? (tree.roots[0] ?? tree.place) : folder;
}
