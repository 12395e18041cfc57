import { type AbsolutePath, joinPath, knownPath, namesOf, upwards } from "../../../profile/path.ts";
import { realPathOf, statsOf, systemPath } from "../nodes.ts";
import { readPlainText } from "../plain-file.ts";

/** Maximum of packages, more than any installation of ours has; a folder that claims more is not walked any further. */
const MAX_PACKAGES = 2_000;

/** Only tests load it, and its own dependencies are several hundred packages. */
export const ONLY_IN_TESTS: ReadonlySet<string> = new Set(["vitest"]);

/** A part that a process of ours loads: a package, or a single file. */
export interface LoadedPart {
  /** The real folder of the package, or the file. */
  readonly path: AbsolutePath;
  /** The package's manifest and the files it names, of which some may be missing; or the file. */
  readonly entries: readonly AbsolutePath[];
}

/**
 * A package and every package that it may load, found as Node finds them: in the `node_modules` of its own folder and
 * of each folder above (https://nodejs.org/api/esm.html#resolution-algorithm-specification). Packages that are not
 * installed are left out.
 */
export function loadedPackages(folder: AbsolutePath): readonly LoadedPart[] {
  const folders = new Folders();
  const found = new Set([folder]);
  const loaded: LoadedPart[] = [];
  for (const path of found) {
    const manifest = manifestOf(path);
    const max = path === folder ? MAX_OWN_ENTRIES : MAX_ENTRIES;
    loaded.push({ path, entries: entriesOf(path, manifest, max) });
    if (found.size > MAX_PACKAGES) continue;
    const searched = searchedFolders(path);
    for (const name of dependenciesOf(manifest)) {
      const dependency = folders.find(name, searched);
      if (dependency !== null) found.add(dependency);
    }
  }
  return loaded;
}

/** A folder as a package, or a file. */
export function loadedPart(path: AbsolutePath): LoadedPart {
  const isFile = statsOf(path)?.isFile() === true;
  return { path, entries: isFile ? [path] : entriesOf(path, manifestOf(path), MAX_OWN_ENTRIES) };
}

/** Every folder in which Node looks for a package that code in this folder names; most are missing. */
export function searchedFolders(folder: AbsolutePath): readonly AbsolutePath[] {
  return [...upwards(folder)].map((at) => joinPath(at, "node_modules"));
}

/** Looks for folders by their real paths, each once: the same few are asked for again and again. */
export class Folders {
  readonly #known = new Map<AbsolutePath, AbsolutePath | null>();

  /** The real path of a package, from the first of the folders that has one of this name; null if none has. */
  find(name: string, searched: readonly AbsolutePath[]): AbsolutePath | null {
    return this.placeOf(name, searched)?.real ?? null;
  }

  placeOf(
    name: string,
    searched: readonly AbsolutePath[],
  ): { readonly real: AbsolutePath; readonly at: number } | null {
    for (const [at, packages] of searched.entries()) {
      const real = this.#inFolder(this.#at(packages), name);
      if (real !== null) return { real, at };
    }
    return null;
  }

  #inFolder(folder: AbsolutePath | null, name: string): AbsolutePath | null {
    return name.split("/").reduce((at, part) => (at === null ? null : this.#at(joinPath(at, part))), folder);
  }

  /** The folder above is real: only the last name can be a link. */
  #at(path: AbsolutePath): AbsolutePath | null {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const stats = statsOf(path);
    const real = stats?.isSymbolicLink() === true ? realPathOf(path) : stats === null ? null : path;
    this.#known.set(path, real);
    return real;
  }
}

/** The innermost package in `node_modules` that a path lies in, or null. */
export function packageOf(path: AbsolutePath): AbsolutePath | null {
  const names = namesOf(path);
  const at = names.lastIndexOf("node_modules") + 1;
  if (at === 0 || at === names.length) return null;
  return knownPath(`/${names.slice(0, at + (names[at]?.startsWith("@") === true ? 2 : 1)).join("/")}`);
}

/** All that a package may load: its files, its dependencies, and each place where Node would look for more. */
export function packagePlaces(folder: AbsolutePath): readonly LoadedPart[] {
  const packages = loadedPackages(folder);
  const searched = new Set(packages.flatMap(({ path }) => searchedFolders(path)));
  return [...packages, ...[...searched].map((path) => ({ path, entries: [] }))];
}

/** Maximum of bytes of a manifest: no package has a larger one. Tools may write some of these files, in any size. */
export const MAX_MANIFEST_BYTES = 1024 * 1024;

/** A folder without a readable manifest loads nothing by name. */
export function manifestOf(folder: AbsolutePath): object {
  try {
    const text = readPlainText(systemPath(joinPath(folder, "package.json")), MAX_MANIFEST_BYTES);
    return objectOf(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}

/** The names of the packages that the manifest in a folder lists. */
export function namesOfDependencies(folder: AbsolutePath): readonly string[] {
  return dependenciesOf(manifestOf(folder));
}

function dependenciesOf(manifest: object): readonly string[] {
  const lists = ["dependencies", "optionalDependencies", "peerDependencies"];
  return lists
    .flatMap((list) => Object.keys(objectOf(Reflect.get(manifest, list))))
    .filter((name) => IS_NAME.test(name) && !ONLY_IN_TESTS.has(name));
}

/** Maximum of entries that a start looks at: of our own package, and of each of dozens of others. */
const MAX_OWN_ENTRIES = 16;
const MAX_ENTRIES = 2;

/**
 * The manifest and files of code that it names, those first that an import finds
 * (https://nodejs.org/api/packages.html#package-entry-points).
 */
function entriesOf(folder: AbsolutePath, manifest: object, max: number): readonly AbsolutePath[] {
  const entries = ["package.json"];
  for (const field of ["exports", "main", "bin"])
    if (entries.length < max) addCode(entries, Reflect.get(manifest, field), max);
  if (entries.length === 1) entries.push("index.js");
  return entries.map((file) => joinPath(folder, file));
}

/** A field of `exports` is a text, or fields by condition or by name. */
function addCode(entries: string[], value: unknown, max: number): void {
  if (typeof value === "string") {
    const file = value.startsWith("./") ? value.slice(2) : value;
    if (IS_CODE.test(file) && !file.includes("..") && !entries.includes(file)) entries.push(file);
    return;
  }
  for (const one of Object.values(objectOf(value))) {
    if (entries.length >= max) return;
    addCode(entries, one, max);
  }
}

/** A file that can be loaded, and no pattern for many. */
const IS_CODE = /^[^/*\0][^*\0]*\.(?:[cm]?js|node)$/;

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** A package's name, perhaps with a scope: nothing that leads to another folder. */
const IS_NAME = /^(?:@[^/@.][^/@]*\/)?[^/@.][^/@]*$/;
