import { statfsSync } from "node:fs";
import { posix } from "node:path";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, parentOf } from "../../profile/path.ts";
import { hasDetour, type Look, OF_WHO_ASKS, type Way, wayOf } from "../leads.ts";
import { systemPath } from "../nodes.ts";

/** What a way depends on. */
export interface Upheld {
  /** Paths that must stay as they are, or must not be made. */
  readonly kept: Iterable<AbsolutePath>;
  /** Folders that must stay where they are: it goes into them, and leaves them by `..`. */
  readonly detours: Iterable<AbsolutePath>;
}

/** Where a repository's file leads, and what that depends on. */
export interface Led extends Upheld {
  readonly path: AbsolutePath;
}

/** What leads nowhere else. */
export function itself(path: AbsolutePath): Led {
  return { path, kept: [], detours: [] };
}

/** What many ways depend on. */
export class UpheldByAll implements Upheld {
  readonly kept = new Set<AbsolutePath>();
  readonly detours = new Set<AbsolutePath>();

  add({ kept = [], detours = [] }: Partial<Upheld>): void {
    for (const path of kept) this.kept.add(path);
    for (const path of detours) this.detours.add(path);
  }
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
  const isPlain = !hasDetour(written);
  const through = isPlain ? [joinPath(plain, "commondir")] : way.links;
  const aside = isPlain ? [] : placesAside(way, path);
  const isFolder = (place: AbsolutePath): boolean => see(place)?.isDirectory() === true;
  const kept = [...(way.links.length === 0 ? [] : through), ...aside.filter((place) => !isFolder(place))];
  return { path, kept: see(path) === null ? [...kept, path] : kept, detours: aside.filter(isFolder) };
}

/** What is passed on a way and lies above neither its end nor its links, which keep what is above them in its place. */
function placesAside({ links, places }: Way, end: AbsolutePath): readonly AbsolutePath[] {
  return places.filter((place) => ![...links, end].some((one) => isInside(one, place)));
}

/**
 * Where a path leads that a configuration names. By its letters, so that what is masked is the name itself, but for one with
 * a `..` behind a name: there as `ledBy`.
 */
export function namedBy(written: string, from: AbsolutePath, see: Look): Led | "who" | null {
  if (hasDetour(written)) return ledBy(written, from, see);
  const path = resolved(written, from);
  return path === null ? null : itself(path);
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
export function dependsOnWho({ end, links, places, isTooLong }: Way): boolean {
  if (isTooLong) return true;
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
