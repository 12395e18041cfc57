import { readFileSync } from "node:fs";
import { type AbsolutePath, isAbsolutePath, isInside, knownPath } from "../../profile/path.ts";
import type { Link } from "../../tool/facts.ts";
import { EVERYTHING, reach } from "./runtimes/disk.ts";

/** The libraries that this process has loaded, real paths, and the links by which they are found. */
export interface LoadedLibraries {
  readonly libraries: readonly AbsolutePath[];
  readonly links: readonly Link[];
}

/** Libraries as the kernel maps them (proc(5), `/proc/self/maps`): the loader finds them there without a link. */
export function loadedByMaps(node: AbsolutePath): LoadedLibraries {
  const mapped = readFileSync("/proc/self/maps", "utf8")
    .split("\n")
    .flatMap((line) => /^\S+ ..x. \S+ \S+ \S+ +(\/.*)$/.exec(line)?.[1] ?? []);
  const libraries = [...new Set(mapped)].filter(isAbsolutePath).filter((path) => path !== node);
  return { libraries, links: [] };
}

/** On macOS the loader has these in one file together, and most are no files at all (dyld(1)). */
const IN_CACHE = ["/usr/lib", "/System"].map(knownPath);

/**
 * The libraries in Node's own report (`_dyld_get_image_name` on macOS): by the names under which the loader found them,
 * which lead through links if Homebrew has installed them, as `/opt/homebrew/opt/icu4c/lib`. Libraries in the folders
 * of `system`, and Node itself, are left out.
 */
export function loadedByReport(
  node: AbsolutePath,
  system: readonly AbsolutePath[] = IN_CACHE,
): LoadedLibraries {
  const isSystems = (path: AbsolutePath): boolean => system.some((folder) => isInside(path, folder));
  const named = sharedObjects()
    .filter(isAbsolutePath)
    .filter((path) => !isSystems(path));
  const reached = named.flatMap((path) => reach(EVERYTHING, path) ?? []);
  const others = reached.filter(({ real }) => real !== node && !isSystems(real));
  const links = others.flatMap((one) => one.links).filter(({ path }) => !isSystems(path));
  return {
    libraries: [...new Set(others.map(({ real }) => real))],
    links: [...new Map(links.map((link) => [link.path, link])).values()],
  };
}

/** Without the network's interfaces, whose names it would look up. Its types don't have that option yet. */
function sharedObjects(): readonly string[] {
  const { report } = process;
  const wasExcluded: unknown = Reflect.get(report, "excludeNetwork");
  Reflect.set(report, "excludeNetwork", true);
  try {
    const listed: unknown = Reflect.get(report.getReport(), "sharedObjects");
    return Array.isArray(listed) ? listed.filter((one) => typeof one === "string") : [];
  } finally {
    Reflect.set(report, "excludeNetwork", wasExcluded);
  }
}
