import { posix } from "node:path";
import { type AbsolutePath, isAbsolutePath, joinPath } from "../../profile/path.ts";
import { hasDetour, wayOf } from "../leads.ts";
import { statsOf } from "../nodes.ts";

/** Where a repository's file leads, and the paths that must stay as they are so that it leads there. */
export interface Led {
  readonly path: AbsolutePath;
  readonly kept: readonly AbsolutePath[];
}

/**
 * Where the words of a `.git` or `commondir` file lead from the canonical folder that it lies in, as the kernel goes. What
 * is not there must not be made; where links are passed, what stands behind them is kept by its name through them, and
 * with it the links. Null for what is no path.
 */
export function ledBy(written: string, from: AbsolutePath): Led | null {
  const [way, plain] = [wayOf(written, from), resolved(written, from)];
  const path = way.end ?? plain;
  if (path === null || plain === null) return null;
  const through = hasDetour(written) ? way.links : [joinPath(plain, "commondir")];
  const kept = way.links.length === 0 ? [] : through;
  return { path, kept: statsOf(path) === null ? [...kept, path] : kept };
}

/** The path that is written, from a folder, by its letters alone. Null for what is none. */
export function resolved(written: string, folder: AbsolutePath): AbsolutePath | null {
  const path = posix.resolve(folder, written);
  return isAbsolutePath(path) ? path : null;
}
