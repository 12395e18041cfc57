import { statfsSync } from "node:fs";
import { posix } from "node:path";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath, parentOf } from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { hasDetour, type LeadingWay, type Lstat, OF_WHO_ASKS, wayOf } from "../leads.ts";
import { systemPath } from "../nodes.ts";

/** Things that must stay as they are for a path to keep its target. */
export interface PathNeeds {
  /** Paths that must stay as they are, or must not be made. */
  readonly kept: Iterable<AbsolutePath>;
  /** Folders that must not move: the path enters them, and leaves them by `..`. */
  readonly detours: Iterable<AbsolutePath>;
}

/** The target of a repository's file, and its needs. */
export interface GitPathTarget extends PathNeeds {
  readonly path: AbsolutePath;
}

/** A path that leads to itself. */
export function itself(path: AbsolutePath): GitPathTarget {
  return { path, kept: [], detours: [] };
}

/** Combined needs of many paths. */
export class AllPathNeeds implements PathNeeds {
  readonly kept = new Set<AbsolutePath>();
  readonly detours = new Set<AbsolutePath>();

  add({ kept = [], detours = [] }: Partial<PathNeeds>): void {
    for (const path of kept) this.kept.add(path);
    for (const path of detours) this.detours.add(path);
  }
}

/**
 * The target of a `.git` or `commondir` file from its canonical folder, as the kernel resolves it. A missing target
 * must not be made. If links are on the path, its target is kept by a name through them, and so are the links. Null if
 * the text is not a path; `who` if it leads elsewhere in another process.
 */
export function followedTarget(
  written: string,
  from: AbsolutePath,
  see: Lstat,
): GitPathTarget | "who" | null {
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

/** Folders on the path that are above neither its end nor its links, which keep the folders above them in place. */
function placesAside({ links, places }: LeadingWay, end: AbsolutePath): readonly AbsolutePath[] {
  return places.filter((place) => ![...links, end].some((one) => isInside(one, place)));
}

/** Target of a configuration's path, by its text so that a mask covers the name; for a `..` after a name as `followedTarget`. */
export function namedBy(written: string, from: AbsolutePath, see: Lstat): GitPathTarget | "who" | null {
  if (hasDetour(written)) return followedTarget(written, from, see);
  const path = resolved(written, from);
  return path === null ? null : itself(path);
}

/** The written path, from a folder, resolved by its text alone. Null if it is invalid. */
export function resolved(written: string, folder: AbsolutePath): AbsolutePath | null {
  const path = posix.resolve(folder, written);
  return isAbsolutePath(path) ? path : null;
}

/** The kernel's number for file systems of this kind (statfs(2), `PROC_SUPER_MAGIC`). */
const PROCFS = 0x9fa0;

/** True through `/proc` or a link of any procfs: its targets depend on the process (proc(5)), so git gets others. */
export function dependsOnWho({ end, links, places, isTooLong }: LeadingWay): boolean {
  if (isTooLong) return true;
  const last = places.at(-1);
  if (end === null && last !== undefined && isInside(last, OF_WHO_ASKS)) return true;
  return links.some((link) => isOnProcfs(parentOf(link)));
}

function isOnProcfs(folder: AbsolutePath): boolean {
  return orNull(() => statfsSync(systemPath(folder)).type === PROCFS) ?? false;
}
