import { resolve } from "node:path";
import { type AbsolutePath, isAbsolutePath, joinPath, parentOf, ROOT } from "../profile/path.ts";
import { linkAt, realPathOf, statsOf } from "./nodes.ts";

/** Where a path leads, as far as may be looked. `unseen`: out of that, and nothing was looked at there. */
export interface Led {
  readonly path: AbsolutePath;
  readonly kind: "file" | "folder" | "missing" | "unseen";
}

/** As the kernel: path_resolution(7). */
const MOST_LINKS = 40;

/**
 * Where a path leads from a canonical folder, name by name as the kernel goes. Only what may be looked at is; all else
 * counts as folders that are there, so that what stands at any other path, and where it leads, plays no part in the answer.
 */
export function leadsTo(written: string, from: AbsolutePath, mayLook: (path: AbsolutePath) => boolean): Led {
  const names = namesIn(written).reverse();
  let at = written.startsWith("/") ? ROOT : from;
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const next = name === ".." ? parentOf(at) : joinPath(at, name);
    if (name === ".." || !mayLook(next)) {
      at = next;
      continue;
    }
    const stats = statsOf(next);
    if (stats?.isDirectory() === true || (stats?.isFile() === true && names.length === 0)) {
      at = next;
      continue;
    }
    const text = stats?.isSymbolicLink() === true && links < MOST_LINKS ? linkAt(next) : null;
    if (text === null)
      return {
        path: behind(next, names),
        kind: stats === null || stats.isSymbolicLink() || names.length > 0 ? "missing" : "file",
      };
    links += 1;
    if (text.startsWith("/")) at = ROOT;
    names.push(...namesIn(text).reverse());
  }
  if (!mayLook(at)) return { path: at, kind: "unseen" };
  return { path: at, kind: statsOf(at)?.isDirectory() === true ? "folder" : "file" };
}

/** Behind a place where nothing is, the names are taken as they stand; last first. */
function behind(place: AbsolutePath, names: readonly string[]): AbsolutePath {
  let at = place;
  for (const name of names.toReversed()) at = name === ".." ? parentOf(at) : joinPath(at, name);
  return at;
}

function namesIn(text: string): string[] {
  return text.split("/").filter((name) => name !== "" && name !== ".");
}

/**
 * Where a path leads from a canonical folder, name by name as the kernel goes: a link is followed before the `..` behind
 * it (path_resolution(7)). The last name may be missing; null when it leads nowhere, as behind a name that is not there.
 */
export function realTarget(written: string, from: AbsolutePath): AbsolutePath | null {
  const names = namesIn(written);
  let at = written.startsWith("/") ? ROOT : from;
  for (const [index, name] of names.entries()) {
    if (name === "..") {
      if (statsOf(at)?.isDirectory() !== true) return null;
      at = parentOf(at);
      continue;
    }
    const next = joinPath(at, name);
    const real = statsOf(next)?.isSymbolicLink() === false ? next : realPathOf(next);
    if (real === null) return index === names.length - 1 && statsOf(next) === null ? next : null;
    at = real;
  }
  return at;
}

/** True for a path with a `..` behind a name, which may be a link: only the kernel knows what it leads to. */
export function hasDetour(written: string): boolean {
  return namesIn(written).some((name, at, names) => name === ".." && at > 0 && names[at - 1] !== "..");
}

/**
 * The path that is written, without `.` and `..`, its links not followed; of one with a detour, what it leads to. Null
 * when that can't be told.
 */
export function plainPath(written: string, from: AbsolutePath): AbsolutePath | null {
  if (hasDetour(written)) return realTarget(written, from);
  const path = resolve(from, written);
  return isAbsolutePath(path) ? path : null;
}
