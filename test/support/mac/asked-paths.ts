import fc from "fast-check";
import {
  type AbsolutePath,
  isInside,
  joinPath,
  knownPath,
  parentOf,
  upwards,
} from "../../../src/profile/path.ts";
import type { FileEntry } from "../../../src/profile/profile.ts";
import { CALL, CALL_PARAMETERS, CALLS, type MacCase, name, path } from "./mac-case.ts";

/** Names that few patterns match and no entry has. */
const fresh = fc.constantFrom("fresh", "fresh.md", "a-fresh-one", "Fresh");

/** Where calls have their places, one call's, and another's. */
const CALL_PATHS = [
  CALLS,
  CALL,
  `${CALL}/canary`,
  ...["HOME", "TMP", "GIVEN"].flatMap((one) => [
    CALL_PARAMETERS.get(one) ?? "",
    `${CALL_PARAMETERS.get(one)}/a`,
  ]),
  `${CALL}x/tmp/a`,
].map(knownPath);

/** Paths that a profile speaks of. */
export function spokenPaths({ profile, facts }: MacCase): readonly AbsolutePath[] {
  return [
    ...profile.files.map((entry) => entry.path),
    ...profile.masks.flatMap((mask) => mask.pattern.literal ?? []),
    ...facts.hits,
  ];
}

/** Paths that a case speaks of and below them, any others, and their other names. */
export function askedPaths(given: MacCase): fc.Arbitrary<AbsolutePath> {
  const near = fc.constantFrom(...spokenPaths(given), knownPath("/Users/ada/w"));
  return fc.oneof(
    path,
    near,
    { weight: 2, arbitrary: fc.tuple(near, name).map(([folder, last]) => joinPath(folder, last)) },
    {
      weight: 2,
      arbitrary: fc.tuple(near, name, name).map(([at, one, two]) => joinPath(at, `${one}/${two}`)),
    },
    fc.tuple(near, fc.constantFrom("/tmp", "/System/Volumes/Data")).map(([at, alias]) => aliasOf(at, alias)),
    fc.constantFrom(...CALL_PATHS),
  );
}

/** Paths in the folder of the call. */
export const callPaths: fc.Arbitrary<AbsolutePath> = fc.constantFrom(
  ...CALL_PATHS.filter((one) => isInside(one, knownPath(CALL)) && one !== CALL),
);

/** Paths below an entry that it is likely to give; another entry or a mask may still say no. */
export function pathsIn({
  path: root,
  suffixes,
}: Pick<FileEntry, "path" | "suffixes">): fc.Arbitrary<AbsolutePath> {
  const last = suffixes === "any" ? fresh : fc.constantFrom(...suffixes, "").map((one) => `fresh${one}`);
  return fc
    .tuple(fc.array(fc.oneof(fresh, name), { maxLength: 1 }), last)
    .map(([above, end]) => joinPath(root, [...above, end].join("/")));
}

/** A path and whether a file or a folder is there. */
export interface AskedNode {
  readonly path: AbsolutePath;
  readonly kind: "file" | "folder";
}

/** Nodes to ask the rules of a case about; many are given, so that the answer is yes often enough for a no to mean something. */
export function askedNodes(given: MacCase, count: number): fc.Arbitrary<readonly AskedNode[]> {
  const { files } = given.profile;
  const entries = files.filter(({ access }) => access !== "none");
  const inEntries =
    entries.length === 0 ? callPaths : fc.constantFrom(...entries).chain((entry) => pathsIn(entry));
  const above = spokenPaths(given).flatMap((one) => [...upwards(parentOf(one))]);
  const node = fc.record({
    path: fc.oneof(
      { weight: 6, arbitrary: askedPaths(given) },
      { weight: 5, arbitrary: inEntries },
      fc.constantFrom(...files.map((entry) => entry.path), ...above, knownPath("/Users/ada/w")),
    ),
    kind: fc.constantFrom("file" as const, "file" as const, "folder" as const, "file" as const),
  });
  return fc.array(node, { minLength: count, maxLength: count });
}

function aliasOf(at: AbsolutePath, alias: string): AbsolutePath {
  return knownPath(alias === "/tmp" ? at.replace(/^(\/private\/tmp)?/, "/tmp") : `${alias}${at}`);
}
