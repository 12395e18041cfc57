import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type AbsolutePath, isAbsolutePath, joinPath, knownPath, namesOf } from "../../profile/path.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { filesImportedBy } from "./imported-files.ts";
import { loadedPackages, searchedFolders } from "./packages.ts";
import { placesOn, upToFirst } from "./way.ts";

/** A place that decides which file a module is. */
export interface ModulePlace {
  readonly path: AbsolutePath;
  /** True for one in `node_modules` that does not stand for all of that folder. */
  readonly isAlone: boolean;
}

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
  const path = url.protocol === "file:" ? pathOfUrl(url) : null;
  return path === null ? [] : placesOfFile(path, lookup);
}

/** A file, or a folder, with what is tried before it and what is loaded from there. */
function placesOfFile(path: string, { by, cwd }: Lookup): readonly ModulePlace[] {
  const ends = ENDINGS.map((ending) => placesOn(`${path.replace(/(?<=.)\/+$/, "")}${ending}`, cwd));
  const first = ends.findIndex(([end]) => statsOf(end)?.isFile() === true);
  const tried = ends.slice(0, first < 0 ? triedBy(by) : first + 1);
  const end = (first < 0 ? null : ends[first]?.[0]) ?? resolvedBy(path, cwd);
  return [
    ...tried.flat().map((place) => ({ path: place, isAlone: statsOf(place) === null })),
    ...(end === null ? [] : loadedWith(end)),
  ];
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
    ...candidates.flat().map((place) => ({ path: place, isAlone: statsOf(place) === null })),
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
  return filesImportedBy(file).map((path) => ({ path, isAlone: false }));
}

function loadedFromPackage(folder: AbsolutePath): readonly ModulePlace[] {
  const packages = loadedPackages(folder).map(({ path }) => path);
  return [...packages, ...packages.flatMap(searchedFolders)].map((path) => ({ path, isAlone: false }));
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

/** Null where Node takes it for no path, either. */
function pathOfUrl(url: URL): string | null {
  try {
    const path = fileURLToPath(url);
    return path.includes("\0") ? null : path;
  } catch {
    return null;
  }
}
