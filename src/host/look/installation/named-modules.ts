import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";
import type { AbsolutePath } from "../../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import { filesImportedBy, filesImportedByText } from "./imported-files.ts";
import { manifestsFor, scopeOf } from "./manifest-names.ts";
import { manifestOf, packageOf, packagePlaces, searchedFolders } from "./packages.ts";
import type { InstalledPart } from "./part.ts";
import { pathOfUrl, resolvedBy } from "./resolved.ts";
import { placesOn } from "./way.ts";

/** A place that decides which file a module is. `isAlone` is true for one that is not for all of its `node_modules`. */
export type ModulePlace = Pick<InstalledPart, "path" | "isAlone" | "entries">;

/** How Node looks for a module that an option names. */
export interface ModuleLookup {
  readonly by: "require" | "import";
  readonly cwd: AbsolutePath;
  /** Folders of packages that `require` searches last. */
  readonly globalFolders: readonly AbsolutePath[];
}

/** Endings that `require` adds to a name, in this order; then those of loaders of TypeScript. */
const ENDINGS = ["", ".js", ".json", ".node", ".ts", ".tsx", ".mts", ".cts", ".jsx", ".mjs", ".cjs"];

/**
 * Every place that decides what Node loads for a module that an option names, and the code loaded from there: files at
 * names that are tried before, packages in nearer folders, and links on the way
 * (https://nodejs.org/api/modules.html#all-together,
 * https://nodejs.org/api/esm.html#resolution-algorithm-specification). `require` takes a path as it is, `import` takes
 * it as a URL: `./pr%65.mjs?x` means `pre.mjs`.
 */
export function placesOfModule(named: string, lookup: ModuleLookup): readonly ModulePlace[] {
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

function placesOfFile(path: string, { by, cwd }: ModuleLookup): readonly ModulePlace[] {
  const ends = ENDINGS.map((ending) => placesOn(`${path.replace(/(?<=.)\/+$/, "")}${ending}`, cwd));
  const first = ends.findIndex(([end]) => statsOf(end)?.isFile() === true);
  const tried = ends.slice(0, first < 0 ? triedBy(by) : first + 1);
  const end = (first < 0 ? null : ends[first]?.[0]) ?? resolvedBy(path, cwd);
  return [...tried.flat().map(triedAt), ...(end === null ? [] : loadedWith(end))];
}

/** Number of endings that are tried; `import` takes names as they are. */
function triedBy(by: ModuleLookup["by"]): number {
  return by === "require" ? 4 : 1;
}

/** A package by its name: in each searched folder, nothing else may get that name. */
function placesOfPackage(
  specifier: string,
  { by, cwd, globalFolders }: ModuleLookup,
): readonly ModulePlace[] {
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

/** The package around the current folder, if it has this name (`PACKAGE_SELF_RESOLVE`, `LOAD_PACKAGE_SELF`). */
function placesOfScope(name: string, cwd: AbsolutePath): readonly ModulePlace[] {
  const scope = scopeOf(cwd);
  const own = Reflect.get(manifestOf(scope), "name") === name ? [scope] : [];
  return [...manifestsFor(cwd), ...own].map((path) => ({ path, isAlone: true }));
}

/** The code a file loads: for a package all of it and of its dependencies, for a single file its imports. */
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
