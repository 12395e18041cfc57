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
  const looked = new Map<AbsolutePath, AbsolutePath | null>();
  const found = new Set([folder]);
  for (const one of found) {
    if (found.size > MAX_PACKAGES) break;
    const searched = searchedFolders(one);
    for (const name of dependenciesOf(one)) {
      const dependency = findPackage(name, searched, looked);
      if (dependency !== null) found.add(dependency);
    }
  }
  return [...found];
}

/** Every folder in which Node looks for a package that code in this folder names; most are not there. */
export function searchedFolders(folder: AbsolutePath): readonly AbsolutePath[] {
  return [...upwards(folder)].map((at) => joinPath(at, "node_modules"));
}

/** The same few folders are asked for the same names again and again: each is looked at once. */
function findPackage(
  name: string,
  searched: readonly AbsolutePath[],
  looked: Map<AbsolutePath, AbsolutePath | null>,
): AbsolutePath | null {
  for (const packages of searched) {
    const path = joinPath(packages, name);
    const known = looked.get(path);
    const real = known === undefined ? realFolderAt(path) : known;
    looked.set(path, real);
    if (real !== null) return real;
  }
  return null;
}

function realFolderAt(path: AbsolutePath): AbsolutePath | null {
  return statsOf(path) === null ? null : realPathOf(path);
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
