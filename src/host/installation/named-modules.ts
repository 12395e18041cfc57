import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";
import type { AbsolutePath } from "../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import { filesImportedBy, filesImportedByText } from "./imported-files.ts";
import { manifestsFor, scopeOf } from "./manifest-names.ts";
import { manifestOf, packageOf, packagePlaces, searchedFolders } from "./packages.ts";
import type { InstalledPart } from "./part.ts";
import { pathOfUrl, resolvedBy } from "./resolved.ts";
import { placesOn } from "./way.ts";

/** A place that decides which file a module is. `isAlone` is true for one that does not stand for all of its `node_modules`. */
export type ModulePlace = Pick<InstalledPart, "path" | "isAlone" | "entries">;

/** How Node looks for a module that an option names. */
export interface Lookup {
  /** As `require` does it, or as `import` does. */
  readonly by: "require" | "import";
  readonly cwd: AbsolutePath;
  /** Folders of packages that `require` searches last. */
  readonly globalFolders: readonly AbsolutePath[];
}

/** What `require` puts behind a name, in this order; then what loaders of TypeScript do. */
const ENDINGS = ["", ".js", ".json", ".node", ".ts", ".tsx", ".mts", ".cts", ".jsx", ".mjs", ".cjs"];

/**
 * Every place that decides what Node loads for a module that an option names, and what that loads: files at the names that are
 * tried before the one that is there, packages in nearer folders, and the links on the way
 * (https://nodejs.org/api/modules.html#all-together, https://nodejs.org/api/esm.html#resolution-algorithm-specification).
 * `require` takes a path as it stands, `import` takes it as a URL: `./pr%65.mjs?x` means `pre.mjs`.
 */
export function placesOfModule(named: string, lookup: Lookup): readonly ModulePlace[] {
  const { by, cwd } = lookup;
  if (named === "" || isBuiltin(named)) return [];
  const isPath = /^(?:\.{0,2}\/|\.{1,2}$)/.test(named);
  if (by === "require")
    return isPath ? placesOfFile(posix.resolve(cwd, named), lookup) : placesOfPackage(named, lookup);
  if (named.startsWith("#")) return [{ path: scopeOf(cwd), isAlone: true }];
  const url = URL.parse(named, isPath ? pathToFileURL(`${cwd}/`) : undefined);
  if (url === null) return placesOfPackage(named, lookup);
  if (url.protocol === "data:")
    return filesImportedByText({ text: textOfData(url), folder: cwd }).map(placeOf);
  const path = url.protocol === "file:" ? pathOfUrl(url) : null;
  return path === null ? [] : placesOfFile(path, lookup);
}

/** A file, or a folder, with what is tried before it and what is loaded from there. */
function placesOfFile(path: string, { by, cwd }: Lookup): readonly ModulePlace[] {
  const ends = ENDINGS.map((ending) => placesOn(`${path.replace(/(?<=.)\/+$/, "")}${ending}`, cwd));
  const first = ends.findIndex(([end]) => statsOf(end)?.isFile() === true);
  const tried = ends.slice(0, first < 0 ? triedBy(by) : first + 1);
  const end = (first < 0 ? null : ends[first]?.[0]) ?? resolvedBy(path, cwd);
  return [...tried.flat().map(triedAt), ...(end === null ? [] : loadedWith(end))];
}

/** How many of the endings are tried; `import` takes names as they are. */
function triedBy(by: Lookup["by"]): number {
  return by === "require" ? 4 : 1;
}

/** A package by its name: in each folder that is searched, nothing else may come to have that name. */
function placesOfPackage(specifier: string, { by, cwd, globalFolders }: Lookup): readonly ModulePlace[] {
  const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  const folders = [...searchedFolders(cwd), ...(by === "require" ? globalFolders : [])];
  const candidates = folders.flatMap((folder) =>
    ENDINGS.slice(0, triedBy(by)).map((ending) => placesOn(`${folder}/${name}${ending}`, cwd)),
  );
  const packages = candidates.map(([end]) => end).filter((end) => statsOf(end)?.isDirectory() === true);
  const file = by === "require" ? resolvedBy(specifier, cwd) : null;
  return [
    ...candidates.flat().map(triedAt),
    ...packages.flatMap(loadedFromPackage),
    ...(file === null ? [] : loadedWith(file)),
    ...placesOfScope(name, cwd),
  ];
}

/**
 * A package's name means the one that the current folder lies in, where that has this name (`PACKAGE_SELF_RESOLVE`,
 * `LOAD_PACKAGE_SELF`): its manifest says so, and a nearer one would.
 */
function placesOfScope(name: string, cwd: AbsolutePath): readonly ModulePlace[] {
  const scope = scopeOf(cwd);
  const own = Reflect.get(manifestOf(scope), "name") === name ? [scope] : [];
  return [...manifestsFor(cwd), ...own].map((path) => ({ path, isAlone: true }));
}

/** What a file loads: of a package all of that and of its dependencies, of a file alone what it imports. */
function loadedWith(file: AbsolutePath): readonly ModulePlace[] {
  const installed = packageOf(file);
  return installed === null ? filesImportedBy(file).map(placeOf) : loadedFromPackage(installed);
}

function loadedFromPackage(folder: AbsolutePath): readonly ModulePlace[] {
  return packagePlaces(folder).map((place) => ({ ...place, isAlone: false }));
}

function placeOf(path: AbsolutePath): ModulePlace {
  return { path, isAlone: false, entries: [path] };
}

/** A file that is there, or a place where one would be found. */
function triedAt(path: AbsolutePath): ModulePlace {
  return { ...placeOf(path), isAlone: statsOf(path) === null };
}

/** A text that is written right into its own address. */
function textOfData({ href }: URL): string {
  const [kind = "", ...rest] = href.split(",");
  try {
    const text = decodeURIComponent(rest.join(","));
    return kind.endsWith(";base64") ? Buffer.from(text, "base64").toString() : text;
  } catch {
    return "";
  }
}
