import type { ReadOnlyPart } from "../../../backend/read-only-parts.ts";
import { type AbsolutePath, isInside, joinPath, nameOf } from "../../../profile/path.ts";
import { statsOf } from "../nodes.ts";

/**
 * Folders of `node_modules` in which build tools keep files they could make again, each with packages that make it:
 * Vite and those built on it, Babel, ESLint, webpack (https://vite.dev/config/shared-options#cachedir,
 * https://github.com/sindresorhus/find-cache-dir). No package can have such a name
 * (https://docs.npmjs.com/cli/configuring-npm/package-json#name), so nothing of ours is found there by name. Other
 * programs do run code that they keep there, as jiti does from `.cache/jiti`: they trust all who can write in the
 * project.
 */
const CACHES: Readonly<Record<string, readonly string[]>> = {
  ".cache": ["eslint", "find-cache-dir", "webpack"],
  ".vite": ["vite", "vitest"],
  ".vite-temp": ["vite", "vitest"],
};

/** Returns how a path is held: caches of build tools may be written, except one that holds one of these places. */
export function readOnlyAt(path: AbsolutePath, places: readonly AbsolutePath[]): ReadOnlyPart {
  const isPackages = nameOf(path) === "node_modules" && statsOf(path)?.isDirectory() === true;
  return isPackages ? { kind: "packages", path, caches: cachesIn(path, places) } : { kind: "name", path };
}

/**
 * The caches that may be written. A missing one can be made only beside an installed package that makes it: each call
 * holds its place meanwhile, which takes milliseconds.
 */
export function cachesIn(packages: AbsolutePath, places: readonly AbsolutePath[]): readonly AbsolutePath[] {
  return Object.entries(CACHES).flatMap(([name, makers]) => {
    const path = joinPath(packages, name);
    if (places.some((place) => isInside(place, path))) return [];
    const isPlace = statsOf(path)?.isDirectory() ?? makers.some((maker) => isInstalled(maker, packages));
    return isPlace ? [path] : [];
  });
}

/** True for a package installed by itself or by pnpm for another (https://pnpm.io/symlinked-node-modules-structure). */
function isInstalled(name: string, packages: AbsolutePath): boolean {
  return [name, `.pnpm/node_modules/${name}`].some((at) => statsOf(joinPath(packages, at)) !== null);
}
