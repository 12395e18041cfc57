import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { type AbsolutePath, joinPath, parentOf, ROOT } from "../../profile/path.ts";
import type { Link } from "../../tool/facts.ts";

/** A file longer than this is no version file and no config of a person. */
const MOST_BYTES = 1024 * 1024;

/** More links than this on the way to one place are a loop, as in Linux (path_resolution(7)). */
const MOST_LINKS = 40;

/** Where a path really leads, and every symlink that is passed on the way there. */
export interface Reached {
  readonly real: AbsolutePath;
  readonly links: readonly Link[];
}

/**
 * Follows a path name by name; null when it leads nowhere. The folder that holds each link is canonical, so that a
 * place where the links are made again and the end is shown leads to the same end.
 */
export function reach(path: string): Reached | null {
  const links: Link[] = [];
  const ahead = namesOf(path).reverse();
  let at = ROOT;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const next = name === ".." ? parentOf(at) : joinPath(at, name);
    const stats = statsOf(next);
    if (stats === null) return null;
    if (!stats.isSymbolicLink()) {
      at = next;
      continue;
    }
    const target = linkTarget(next);
    if (target === null || links.length === MOST_LINKS) return null;
    links.push({ path: next, target });
    ahead.push(...namesOf(target).reverse());
    if (target.startsWith("/")) at = ROOT;
  }
  return { real: at, links };
}

/** What stands at the path, not following a link there; null when nothing does, or nothing that can be seen. */
export function statsOf(path: AbsolutePath): Stats | null {
  return orNull(() => lstatSync(path));
}

/** True when the path leads to a folder. */
export function isFolder(path: AbsolutePath): boolean {
  return orNull(() => statSync(path))?.isDirectory() ?? false;
}

/** True when the path leads to a regular file. */
export function isFile(path: AbsolutePath): boolean {
  return orNull(() => statSync(path))?.isFile() ?? false;
}

/** True when the path leads to a regular file that somebody may run. */
export function isProgram(path: AbsolutePath): boolean {
  const stats = orNull(() => statSync(path));
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
}

/** The names in a folder, sorted; none when it can't be read. */
export function namesIn(folder: AbsolutePath): readonly string[] {
  return orNull(() => readdirSync(folder))?.toSorted() ?? [];
}

/** What a folder holds, sorted, and which of it are links; nothing when it can't be read. */
export function childrenOf(
  folder: AbsolutePath,
): readonly { readonly path: AbsolutePath; readonly isLink: boolean }[] {
  const entries = orNull(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({ path: joinPath(folder, entry.name), isLink: entry.isSymbolicLink() }));
}

/** The text of a regular file; null when there is none, or when it is longer than a version file or config can be. */
export function textOf(path: AbsolutePath): string | null {
  const stats = orNull(() => statSync(path));
  if (stats === null || !stats.isFile() || stats.size > MOST_BYTES) return null;
  return orNull(() => readFileSync(path, "utf8"));
}

/** The text of the link; its end when the text leads through a folder and out again, which need not be shown. */
function linkTarget(link: AbsolutePath): string | null {
  const target = orNull(() => readlinkSync(link));
  if (target === null) return null;
  const names = namesOf(target);
  const hasDetour = names.some((name, index) => name === ".." && index > 0 && names[index - 1] !== "..");
  return hasDetour ? orNull(() => realpathSync(link)) : target;
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
