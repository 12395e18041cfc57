import { statfsSync } from "node:fs";
import { posix } from "node:path";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, parentOf } from "../../profile/path.ts";
import { hasDetour, type Look, OF_WHO_ASKS, type Way, wayOf } from "../leads.ts";
import { systemPath } from "../nodes.ts";

/** Where a repository's file leads, and the paths that must stay as they are so that it leads there. */
export interface Led {
  readonly path: AbsolutePath;
  readonly kept: readonly AbsolutePath[];
}

/**
 * Where the words of a `.git` or `commondir` file lead from the canonical folder that it lies in, as the kernel goes. What
 * is not there must not be made; where links are passed, what stands behind them is kept by its name through them, and
 * with it the links. Null for what is no path; `who` for what leads elsewhere for whoever else asks.
 */
export function ledBy(written: string, from: AbsolutePath, see: Look): Led | "who" | null {
  const [way, plain] = [wayOf(written, from, see), resolved(written, from)];
  if (dependsOnWho(way)) return "who";
  const path = way.end ?? plain;
  if (path === null || plain === null) return null;
  const through = hasDetour(written) ? way.links : [joinPath(plain, "commondir")];
  const kept = way.links.length === 0 ? [] : through;
  return { path, kept: see(path) === null ? [...kept, path] : kept };
}

/**
 * Where a path leads that a configuration names. By its letters, so that what is masked is the name itself, but for one with
 * a `..` behind a name: there as `ledBy`.
 */
export function namedBy(written: string, from: AbsolutePath, see: Look): Led | "who" | null {
  if (hasDetour(written)) return ledBy(written, from, see);
  const path = resolved(written, from);
  return path === null ? null : { path, kept: [] };
}

/** The path that is written, from a folder, by its letters alone. Null for what is none. */
export function resolved(written: string, folder: AbsolutePath): AbsolutePath | null {
  const path = posix.resolve(folder, written);
  return isAbsolutePath(path) ? path : null;
}

/** The kernel's number for file systems of this kind (statfs(2), `PROC_SUPER_MAGIC`). */
const PROCFS = 0x9fa0;

/**
 * True for a way through `/proc`, or by a link of any procfs: `self` and what is below it are of whoever asks (proc(5)), so
 * that git, in another folder, is led elsewhere than this process.
 */
export function dependsOnWho({ end, links, places }: Way): boolean {
  const last = places.at(-1);
  if (end === null && last !== undefined && isInside(last, OF_WHO_ASKS)) return true;
  return links.some((link) => isOnProcfs(parentOf(link)));
}

function isOnProcfs(folder: AbsolutePath): boolean {
  try {
    return statfsSync(systemPath(folder)).type === PROCFS;
  } catch {
    return false;
  }
}
