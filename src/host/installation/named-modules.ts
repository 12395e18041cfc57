import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { type AbsolutePath, isAbsolutePath, joinPath, knownPath, namesOf } from "../../profile/path.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { filesImportedBy } from "./imported-files.ts";
import { loadedPackages, searchedFolders } from "./packages.ts";
import type { InstalledPart } from "./part.ts";
import { placesOn, upToFirst } from "./way.ts";

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
 */
export function placesOfModule(named: string, lookup: Lookup): readonly ModulePlace[] {
  if (named === "" || named.startsWith("data:") || isBuiltin(named)) return [];
  const path = named.startsWith("file:") ? pathOfUrl(named) : named;
  if (path === null) return [];
  if (path === "." || path === ".." || /^\.{0,2}\//.test(path)) return placesOfFile(path, lookup);
  return lookup.by === "import" && path.startsWith("#")
    ? [scopeOf(lookup.cwd)].map((at) => ({ path: at, isAlone: true }))
    : placesOfPackage(path, lookup);
}

/** A file, or a folder, with what is tried before it and what is loaded from there. */
function placesOfFile(path: string, { by, cwd }: Lookup): readonly ModulePlace[] {
  const ends = ENDINGS.map((ending) => placesOn(`${path.replace(/(?<=.)\/+$/, "")}${ending}`, cwd));
  const first = ends.findIndex(([end]) => statsOf(end)?.isFile() === true);
  const tried = ends.slice(0, first < 0 ? triedBy(by) : first + 1);
  const end = (first < 0 ? null : ends[first]?.[0]) ?? resolvedBy(path, cwd);
  return [...tried.flat().map(placeOf), ...(end === null ? [] : loadedWith(end))];
}

/** A file that is there, or a place where one would be found. */
function placeOf(path: AbsolutePath): ModulePlace {
  return { path, isAlone: statsOf(path) === null, entries: [path] };
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
    ...candidates.flat().map(placeOf),
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
  const manifests = upToFirst(cwd, hasManifest).map((at) => joinPath(at, "package.json"));
  const own = nameIn(joinPath(scope, "package.json")) === name ? [scope] : [];
  return [...manifests, ...own].map((path) => ({ path, isAlone: true }));
}

/** The nearest folder with a manifest; the folder itself where there is none. */
function scopeOf(folder: AbsolutePath): AbsolutePath {
  const above = upToFirst(folder, hasManifest).at(-1) ?? folder;
  return hasManifest(above) ? above : folder;
}

function hasManifest(folder: AbsolutePath): boolean {
  return statsOf(joinPath(folder, "package.json")) !== null;
}

function nameIn(manifest: AbsolutePath): unknown {
  try {
    const said: unknown = JSON.parse(readFileSync(systemPath(manifest), "utf8"));
    return typeof said === "object" && said !== null ? Reflect.get(said, "name") : null;
  } catch {
    return null;
  }
}

/** What a file loads: of a package all of that and of its dependencies, of a file alone what it imports. */
function loadedWith(file: AbsolutePath): readonly ModulePlace[] {
  const names = namesOf(file);
  const at = names.lastIndexOf("node_modules");
  if (at >= 0) {
    const length = names[at + 1]?.startsWith("@") === true ? 3 : 2;
    return loadedFromPackage(knownPath(`/${names.slice(0, at + length).join("/")}`));
  }
  return [file, ...filesImportedBy(file)].map((path) => ({ path, isAlone: false, entries: [path] }));
}

function loadedFromPackage(folder: AbsolutePath): readonly ModulePlace[] {
  const packages = loadedPackages(folder);
  const searched = packages.flatMap(({ path }) => searchedFolders(path));
  return [
    ...packages.map((one) => ({ ...one, isAlone: false })),
    ...searched.map((path) => ({ path, isAlone: false })),
  ];
}

/** What `require` finds; null where it finds nothing, or what is Node's own. */
function resolvedBy(specifier: string, cwd: AbsolutePath): AbsolutePath | null {
  try {
    const path = createRequire(joinPath(cwd, "module.js")).resolve(specifier);
    return isAbsolutePath(path) ? path : null;
  } catch {
    return null;
  }
}

function pathOfUrl(url: string): string | null {
  try {
    return fileURLToPath(url);
  } catch {
    return null;
  }
}
