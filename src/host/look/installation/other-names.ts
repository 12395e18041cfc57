import { readdirSync } from "node:fs";
import { type AbsolutePath, joinPath, nameOf, pathFromBytes } from "../../../profile/path.ts";
import { statsOf, systemPath } from "../nodes.ts";
import type { LoadedPart } from "./packages.ts";

/** A name under which a file can be changed that is loaded under another. */
export interface OtherName {
  readonly file: AbsolutePath;
  readonly name: AbsolutePath;
}

/** The folders in which other names are looked for. */
export interface NameSearchParts {
  readonly folders: readonly AbsolutePath[];
  /** Folders among these in which no tool can write. */
  readonly held: readonly AbsolutePath[];
}

/** Maximum of names looked at below such folders: as many as a search before a call looks at by default. */
export const MAX_NAMES = 200_000;

/**
 * The first file below these folders that is also one of the loaded ones: a hard link. Package managers make them from
 * a store of all packages, and other programs between two equal files. `too-many` if the folders hold more names than
 * that. A package's entries tell whether it is made of links: a start with copies looks at no other file of it.
 */
export function otherName(
  loaded: readonly LoadedPart[],
  ground: NameSearchParts,
): OtherName | "too-many" | null {
  const files = linkedFiles(loaded);
  if (files.size === 0) return null;
  const held = new Set(ground.held);
  const ahead = [...ground.folders];
  let seen = 0;
  for (const folder of ahead) {
    const entries = entriesOf(folder);
    seen += entries.length;
    if (seen > MAX_NAMES) return "too-many";
    for (const { path, isFolder } of entries) {
      if (held.has(path)) continue;
      if (isFolder) ahead.push(path);
      const file = isFolder ? undefined : files.get(keyOf(path) ?? "");
      if (file !== undefined) return { file, name: path };
    }
  }
  return null;
}

function linkedFiles(loaded: readonly LoadedPart[]): ReadonlyMap<string, AbsolutePath> {
  const files = loaded
    .filter(({ entries }) => entries.some((entry) => keyOf(entry) !== null))
    .flatMap(({ path }) => (statsOf(path)?.isDirectory() === true ? filesOfPackage(path) : [path]));
  return new Map(
    files.flatMap((path): readonly [string, AbsolutePath][] => {
      const key = keyOf(path);
      return key === null ? [] : [[key, path]];
    }),
  );
}

/** In a package, or a checkout of one: no code of its own. */
const NOT_OF_A_PACKAGE = ["node_modules", ".git"];

function filesOfPackage(folder: AbsolutePath): readonly AbsolutePath[] {
  return entriesOf(folder)
    .filter(({ path }) => !NOT_OF_A_PACKAGE.includes(nameOf(path)))
    .flatMap(({ path, isFolder }) => (isFolder ? filesBelow(path) : [path]));
}

function filesBelow(folder: AbsolutePath): readonly AbsolutePath[] {
  return entriesOf(folder).flatMap(({ path, isFolder }) => (isFolder ? filesBelow(path) : [path]));
}

function keyOf(path: AbsolutePath): string | null {
  const stats = statsOf(path);
  return stats?.isFile() === true && stats.nlink > 1 ? `${stats.dev}:${stats.ino}` : null;
}

/** The entries of a folder; none if it can't be listed. Links are left out. */
function entriesOf(
  folder: AbsolutePath,
): readonly { readonly path: AbsolutePath; readonly isFolder: boolean }[] {
  try {
    const entries = readdirSync(systemPath(folder), { withFileTypes: true, encoding: "buffer" });
    return entries
      .filter((entry) => !entry.isSymbolicLink())
      .map((entry) => ({ path: joinPath(folder, pathFromBytes(entry.name)), isFolder: entry.isDirectory() }));
  } catch {
    return [];
  }
}
