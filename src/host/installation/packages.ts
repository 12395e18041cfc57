import { readFileSync } from "node:fs";
import { type AbsolutePath, joinPath, upwards } from "../../profile/path.ts";
import { realPathOf, statsOf, systemPath } from "../nodes.ts";

/** More packages than any installation of ours has; a folder that claims more is not walked any further. */
const MAX_PACKAGES = 2_000;

/** Only tests load it, and its own dependencies are several hundred packages. */
const ONLY_IN_TESTS = new Set(["vitest"]);

/**
 * The real folders of a package and of every package that it may load, found as Node finds them: in the `node_modules` of
 * its own folder and of each folder above (https://nodejs.org/api/esm.html#resolution-algorithm-specification). Packages
 * that are not installed are left out.
 */
export function loadedPackages(folder: AbsolutePath): readonly AbsolutePath[] {
  const folders = new Folders();
  const found = new Set([folder]);
  for (const one of found) {
    if (found.size > MAX_PACKAGES) break;
    const searched = searchedFolders(one);
    for (const name of dependenciesOf(one)) {
      const dependency = folders.find(name, searched);
      if (dependency !== null) found.add(dependency);
    }
  }
  return [...found];
}

/** Every folder in which Node looks for a package that code in this folder names; most are not there. */
export function searchedFolders(folder: AbsolutePath): readonly AbsolutePath[] {
  return [...upwards(folder)].map((at) => joinPath(at, "node_modules"));
}

/** Looks for folders by their real paths; the same few are asked for again and again, and each is looked at once. */
class Folders {
  readonly #known = new Map<AbsolutePath, AbsolutePath | null>();

  /** The real path of a package, from the first of the folders that has one of this name; null where none has. */
  find(name: string, searched: readonly AbsolutePath[]): AbsolutePath | null {
    for (const packages of searched) {
      const found = this.#inFolder(this.#at(packages), name);
      if (found !== null) return found;
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

/** The names of the packages that a manifest lists. A folder without a readable manifest loads nothing by name. */
function dependenciesOf(folder: AbsolutePath): readonly string[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(systemPath(joinPath(folder, "package.json")), "utf8"));
  } catch {
    return [];
  }
  const lists = ["dependencies", "optionalDependencies", "peerDependencies"];
  return lists
    .flatMap((list) => Object.keys(objectOf(Reflect.get(objectOf(manifest), list))))
    .filter((name) => IS_NAME.test(name) && !ONLY_IN_TESTS.has(name));
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** A package's name, perhaps with a scope: nothing that leads to another folder. */
const IS_NAME = /^(?:@[^/@.][^/@]*\/)?[^/@.][^/@]*$/;
