import type { Facts } from "../../../src/backend/facts.ts";
import { type Access, isAtMost } from "../../../src/profile/access.ts";
import { type Kind, pathRuler } from "../../../src/profile/access-to.ts";
import { type AbsolutePath, isInside, knownPath, nameOf, ROOT } from "../../../src/profile/path.ts";
import { literalPrefix, type Pattern } from "../../../src/profile/pattern.ts";
import { indexEntries, type Mask, nearestEntry, type Profile } from "../../../src/profile/profile.ts";
import { type Suffixes, takesFile } from "../../../src/profile/suffix.ts";

/**
 * Where names that differ in case are the same: to masks that say so, on volumes that do, or to a kernel anywhere, in what
 * rules name by its path, or by regexes as well.
 */
export type Folding = "by mask" | "by volume" | "paths everywhere" | "everywhere";

/** What a profile gives of what was there at the start. */
export type AccessOn = (path: AbsolutePath, kind: Kind) => Access;

/**
 * The access that a profile gives on a machine, as it is where names fold so: to a path composed and decomposed, since a
 * Mac's disk takes both for the same, or to its one spelling alone.
 */
export function accessOn(
  profile: Profile,
  facts: Pick<Facts, "mac">,
  folding: Folding,
  spelled: "in both forms" | "as it is" = "in both forms",
): AccessOn {
  const folds = (path: AbsolutePath): boolean =>
    folding === "everywhere" ||
    folding === "paths everywhere" ||
    (folding === "by volume" && foldsVolumeAt(facts, path));
  const masks = profile.masks.map(
    (mask): Mask => ({
      ...mask,
      ignoreCase: mask.ignoreCase || folding === "everywhere" || foldsWithin(facts, mask.pattern),
    }),
  );
  const lower = (path: AbsolutePath): AbsolutePath => (folds(path) ? foldedPath(path) : path);
  const files = profile.files.map((one) => ({ ...one, path: lower(one.path) }));
  const index = indexEntries(files);
  const areRegexesFolded = folding !== "paths everywhere";
  const ruler = pathRuler({ ...profile, files, masks: areRegexesFolded ? masks : [] });
  const ofSpellings = pathRuler({
    ...profile,
    files,
    masks: areRegexesFolded ? masks.filter(({ pattern }) => isSpelledOut(pattern)) : [],
  });
  const unfolded = pathRuler({ ...profile, files: ANYWHERE, masks });
  // What must not be `a` may be `A` as it is written, and not where case does not count.
  const asWritten = pathRuler({ ...profile, files: ANYWHERE });
  return (path, kind) => {
    const at = lower(path);
    const { path: root, suffixes } = nearestEntry(index, at);
    const isLeftOut = kind === "file" && !takesName(suffixes, nameOf(path), folds(path));
    if (isLeftOut) return "none";
    const others = [
      ...(spelled === "as it is" ? [] : otherSpellings(at, root)).map(
        (one) => ofSpellings(one, FOLDER).access,
      ),
      ...(folding !== "everywhere" ? [asWritten(path, FOLDER).access] : []),
      ...(areRegexesFolded ? [] : [unfolded(path, FOLDER).access]),
    ];
    return others.reduce(lesser, ruler(at, FOLDER).access);
  };
}

const ANYWHERE = [{ path: ROOT, access: "write", suffixes: "any" }] as const;
const FOLDER = { kind: "folder", bornInside: false } as const;

function lesser(a: Access, b: Access): Access {
  return isAtMost(a, b) ? a : b;
}

/** True of a pattern that counts no characters: to `?`, a composed and a decomposed name are of two lengths. */
function isSpelledOut({ literal, segments }: Pattern): boolean {
  return (
    literal !== null ||
    segments.every(
      (one) => one.kind === "any-names" || one.pieces.every(({ kind }) => kind === "text" || kind === "many"),
    )
  );
}

/** The path below a root, composed and decomposed: on a Mac's disk they are the same. The root has one spelling. */
function otherSpellings(path: AbsolutePath, root: AbsolutePath): readonly AbsolutePath[] {
  if (isPlain(path)) return [];
  const [above, below] = root === ROOT ? ["", path] : [root, path.slice(root.length)];
  return ["NFC", "NFD"].map((form) => knownPath(`${above}${below.normalize(form)}`));
}

/** True of a path in printable ASCII: in others a run of foreign characters stands for any. */
export function isPlain(path: string): boolean {
  return /^[ -~]*$/.test(path);
}

/** Whether the volume of a path takes names that differ in case for the same; of `/`, whether one does. */
export function foldsVolumeAt({ mac }: Pick<Facts, "mac">, path: AbsolutePath): boolean {
  const around = (mac?.volumes ?? []).filter(({ point }) => path === "/" || isInside(path, point));
  if (path === "/") return around.some((one) => one.foldsCase);
  return around.sort((a, b) => b.point.length - a.point.length)[0]?.foldsCase ?? false;
}

/** Whether a volume that a pattern may match something on takes names that differ in case for the same. */
function foldsWithin(facts: Pick<Facts, "mac">, pattern: Pattern): boolean {
  const prefix = literalPrefix(pattern);
  const below = (facts.mac?.volumes ?? []).filter(({ point }) => isInside(point, prefix));
  return foldsVolumeAt(facts, prefix) || (pattern.literal === null && below.some((one) => one.foldsCase));
}

/** The path in lower case, ASCII alone. */
export function foldedPath(path: AbsolutePath): AbsolutePath {
  return knownPath(path.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
}

/** Whether a list of suffixes takes a name, in any case where case does not count. */
export function takesName(suffixes: Suffixes, name: string, isFolded: boolean): boolean {
  if (suffixes === "any" || !isFolded) return takesFile(suffixes, name);
  return takesFile(
    suffixes.map((one) => one.toLowerCase()),
    name.toLowerCase(),
  );
}
