import { lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { type AbsolutePath, isInside, joinPath, parentOf, ROOT } from "../../profile/path.ts";
import type { Link } from "../../tool/facts.ts";
import { resolvedPath } from "../nodes.ts";
import { readPlainText } from "../plain-file.ts";
import { SPELLING } from "../spelling.ts";

/** A file longer than this is no version file and no config of a person. */
const MOST_BYTES = 1024 * 1024;

/** More links than this on the way to one place are a loop, as in Linux (path_resolution(7)). */
const MOST_LINKS = 40;

/**
 * How the disk is looked at: what lies in a hidden folder, and what is reached by way of one, is not there. So nothing in
 * it can decide anything. The folders are canonical.
 */
export interface Sight {
  readonly hidden: readonly AbsolutePath[];
}

/** The whole disk. What is seen so must not decide what is granted. */
export const EVERYTHING: Sight = { hidden: [] };

/** Where a path really leads, and every symlink that is passed on the way there. */
export interface Reached {
  readonly real: AbsolutePath;
  readonly links: readonly Link[];
}

/**
 * Follows a path name by name; null when it leads nowhere. The folder that holds each link is canonical, so that a
 * place where the links are made again and the end is shown leads to the same end.
 */
export function reach(sight: Sight, path: string): Reached | null {
  const links: Link[] = [];
  const ahead = namesOf(path).reverse();
  let at = ROOT;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const next = name === ".." ? parentOf(at) : joinPath(at, name);
    const stats = statsOf(sight, next);
    if (stats === null) return null;
    const place = name === ".." ? next : SPELLING.placeOf(at, name, stats);
    if (place !== next && isHidden(sight, place)) return null;
    if (!stats.isSymbolicLink()) {
      at = place;
      continue;
    }
    const target = linkTarget(sight, place);
    if (target === null || links.length === MOST_LINKS) return null;
    links.push({ path: place, target });
    ahead.push(...namesOf(target).reverse());
    if (target.startsWith("/")) at = ROOT;
  }
  return { real: at, links };
}

/**
 * What stands at the path, not following a link there; null when nothing does, or nothing that can be seen. The folder
 * that holds it is canonical.
 */
export function statsOf(sight: Sight, path: AbsolutePath): Stats | null {
  return isHidden(sight, path) ? null : orNull(() => lstatSync(path));
}

function isHidden({ hidden }: Sight, path: AbsolutePath): boolean {
  return hidden.some((folder) => isInside(path, folder));
}

/** True when the path leads to a folder. */
export function isFolder(sight: Sight, path: AbsolutePath): boolean {
  return endOf(sight, path)?.isDirectory() ?? false;
}

/** True when the path leads to a regular file. */
export function isFile(sight: Sight, path: AbsolutePath): boolean {
  return endOf(sight, path)?.isFile() ?? false;
}

/** True when the path leads to a regular file that somebody may run. */
export function isProgram(sight: Sight, path: AbsolutePath): boolean {
  const stats = endOf(sight, path);
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
}

/** The names in a folder, sorted; none when it can't be read. */
export function namesIn(sight: Sight, folder: AbsolutePath): readonly string[] {
  return isSeen(sight, folder) ? (orNull(() => readdirSync(folder))?.toSorted() ?? []) : [];
}

/** What a canonical folder holds, sorted, and which of it are links; nothing when it can't be read. */
export function childrenOf(
  folder: AbsolutePath,
): readonly { readonly path: AbsolutePath; readonly isLink: boolean }[] {
  const entries = orNull(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({ path: joinPath(folder, entry.name), isLink: entry.isSymbolicLink() }));
}

/** The text of a regular file; null when there is none, or when it is longer than a version file or config can be. */
export function textOf(sight: Sight, path: AbsolutePath): string | null {
  return isSeen(sight, path) ? orNull(() => readPlainText(path, MOST_BYTES)) : null;
}

/** What stands where the path leads. */
function endOf(sight: Sight, path: AbsolutePath): Stats | null {
  const stats = orNull(() => statSync(path));
  return stats !== null && isSeen(sight, path) ? stats : null;
}

function isSeen(sight: Sight, path: AbsolutePath): boolean {
  return sight.hidden.length === 0 || reach(sight, path) !== null;
}

/**
 * The text of the link; its end when the text leads through a folder and out again, which need not be shown, but must
 * not be hidden either.
 */
function linkTarget(sight: Sight, link: AbsolutePath): string | null {
  const target = orNull(() => readlinkSync(link));
  if (target === null) return null;
  const names = namesOf(target);
  const hasDetour = names.some((name, index) => name === ".." && index > 0 && names[index - 1] !== "..");
  if (!hasDetour) return target;
  // Asked first, because the kernel tells a loop of links; and it alone, because Node's own reading takes `a/..` for `.`.
  const end = orNull(() => resolvedPath(link));
  if (end === null || sight.hidden.length === 0) return end;
  const way = target.startsWith("/") ? target : `${parentOf(link)}/${target}`;
  return reach(sight, way) === null ? null : end;
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** What is missing, a loop or closed to us is not there; any other error is a fault of ours. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return null;
    throw error;
  }
}
