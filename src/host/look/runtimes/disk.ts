import { lstatSync, readdirSync, readlinkSync, type Stats, statSync } from "node:fs";
import { type AbsolutePath, isInside, joinPath, namesInText, parentOf, ROOT } from "../../../profile/path.ts";
import type { Link } from "../../../tool/facts.ts";
import { resolvedPath } from "../nodes.ts";
import { readPlainText } from "../plain-file.ts";
import { SPELLING } from "../spelling.ts";

/** Maximum of bytes of a version file or a person's config. */
const MAX_BYTES = 1024 * 1024;

/** Maximum of links on one path, as in Linux (path_resolution(7)); more are a loop. */
const MAX_LINKS = 40;

/** A view of the disk. Paths in or through a hidden, canonical folder count as missing, so they affect no decision. */
export interface Sight {
  readonly hidden: readonly AbsolutePath[];
}

/** The whole disk. Findings with this view must not decide about grants. */
export const EVERYTHING: Sight = { hidden: [] };

/** The real path of a path, and every symlink passed on the way. */
export interface ResolvedPath {
  readonly real: AbsolutePath;
  readonly links: readonly Link[];
}

/** Follows a path name by name; null if it leads nowhere. Links' folders are canonical: a sandbox resolves alike. */
export function reach(sight: Sight, path: string): ResolvedPath | null {
  const links: Link[] = [];
  const ahead = namesInText(path).reverse();
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
    if (target === null || links.length === MAX_LINKS) return null;
    links.push({ path: place, target });
    ahead.push(...namesInText(target).reverse());
    if (target.startsWith("/")) at = ROOT;
  }
  return { real: at, links };
}

/** The entry at the path, without following a link there; null if it is missing or hidden. Its folder is canonical. */
export function statsOf(sight: Sight, path: AbsolutePath): Stats | null {
  return isHidden(sight, path) ? null : ifThere(() => lstatSync(path));
}

function isHidden({ hidden }: Sight, path: AbsolutePath): boolean {
  return hidden.some((folder) => isInside(path, folder));
}

/** True if the path leads to a folder. */
export function isFolder(sight: Sight, path: AbsolutePath): boolean {
  return endOf(sight, path)?.isDirectory() ?? false;
}

/** True if the path leads to a regular file. */
export function isFile(sight: Sight, path: AbsolutePath): boolean {
  return endOf(sight, path)?.isFile() ?? false;
}

/** True if the path leads to a regular file with any execute permission. */
export function isProgram(sight: Sight, path: AbsolutePath): boolean {
  const stats = endOf(sight, path);
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
}

/** The names in a folder, sorted; none if it can't be read. */
export function namesIn(sight: Sight, folder: AbsolutePath): readonly string[] {
  return isSeen(sight, folder) ? (ifThere(() => readdirSync(folder))?.toSorted() ?? []) : [];
}

/** The entries of a canonical folder, sorted, and the links among them; none if it can't be read. */
export function childrenOf(
  folder: AbsolutePath,
): readonly { readonly path: AbsolutePath; readonly isLink: boolean }[] {
  const entries = ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({ path: joinPath(folder, entry.name), isLink: entry.isSymbolicLink() }));
}

/** The text of a regular file; null if there is none, or if it is longer than a version file or config can be. */
export function textOf(sight: Sight, path: AbsolutePath): string | null {
  return isSeen(sight, path) ? ifThere(() => readPlainText(path, MAX_BYTES)) : null;
}

function endOf(sight: Sight, path: AbsolutePath): Stats | null {
  const stats = ifThere(() => statSync(path));
  return stats !== null && isSeen(sight, path) ? stats : null;
}

function isSeen(sight: Sight, path: AbsolutePath): boolean {
  return sight.hidden.length === 0 || reach(sight, path) !== null;
}

/** The link's text; its final target if the text leads through a folder and out again, which must not be hidden. */
function linkTarget(sight: Sight, link: AbsolutePath): string | null {
  const target = ifThere(() => readlinkSync(link));
  if (target === null) return null;
  const names = namesInText(target);
  const hasDetour = names.some((name, index) => name === ".." && index > 0 && names[index - 1] !== "..");
  if (!hasDetour) return target;
  // Asked first, because only the kernel reports a loop of links; Node's own reading takes `a/..` for `.`.
  const end = ifThere(() => resolvedPath(link));
  if (end === null || sight.hidden.length === 0) return end;
  const way = target.startsWith("/") ? target : `${parentOf(link)}/${target}`;
  return reach(sight, way) === null ? null : end;
}

/** A missing or unreadable path, or a loop, counts as missing; any other error is a bug. */
function ifThere<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return null;
    throw error;
  }
}
