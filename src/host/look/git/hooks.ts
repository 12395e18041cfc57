import { opendirSync } from "node:fs";
import { type AbsolutePath, joinPath, pathFromBytes, ROOT } from "../../../profile/path.ts";
import { codeOf } from "../../system-error.ts";
import { type Lstat, wayOf } from "../leads.ts";
import { firstNamesIn } from "../names-in.ts";
import { systemPath } from "../nodes.ts";
import { BY_WHO_ASKS, CLOSED } from "./files.ts";
import type { FoundHook } from "./git-runs.ts";
import { dependsOnWho } from "./path-targets.ts";
import type { Glance } from "./settings.ts";

/** Git knows 30 hooks; the folder may have other programs, too. */
const MAX_NAMES = 10_000;
const MAX_LINKS = 1_000;
/** Maximum of hooks reported of a repository that a call made. */
const MAX_HOOKS = 1_000;

/** Reason for a folder with more names than one look may take. */
export const TOO_MANY = "contains too many files for a folder of hooks";

/** Findings in a folder of hooks; `unread`: why they are unknown, else null. */
export interface InHooks<Found> {
  readonly found: readonly Found[];
  readonly unread: string | null;
}

/** The links in a folder of hooks; none if it can't be listed. */
export function linksAt(folder: AbsolutePath): InHooks<AbsolutePath> {
  const found: AbsolutePath[] = [];
  try {
    using entries = opendirSync(systemPath(folder), { encoding: "latin1", bufferSize: 1_024 });
    for (let names = 0; ; names += 1) {
      const entry = entries.readSync();
      if (entry === null) return { found, unread: null };
      if (entry.isSymbolicLink())
        found.push(joinPath(folder, pathFromBytes(Buffer.from(entry.name, "latin1"))));
      if (names === MAX_NAMES || found.length > MAX_LINKS) return { found: [], unread: TOO_MANY };
    }
  } catch {
    return { found: [], unread: null };
  }
}

/** The hooks that git finds in a folder, directly or through links; unknown ones are added to the glance. */
export function hooksOf(
  folder: AbsolutePath,
  { see, unread }: Pick<Glance, "see" | "unread">,
): readonly FoundHook[] {
  const way = wayOf(folder, ROOT, see);
  const at = way.end ?? folder;
  const hooks = dependsOnWho(way) ? { found: [], unread: BY_WHO_ASKS } : hooksIn(at, see);
  if (hooks.unread !== null) unread.push({ path: folder, why: hooks.unread });
  return hooks.found.map((name) => ({ name, path: joinPath(at, name), links: way.links }));
}

/** Hooks in a canonical folder that can be run, or perhaps can: git ignores others, and its examples (githooks(5)). */
function hooksIn(folder: AbsolutePath, see: Lstat): InHooks<string> {
  try {
    const names = firstNamesIn(systemPath(folder), MAX_HOOKS + 1);
    if (names.length > MAX_HOOKS) return { found: [], unread: TOO_MANY };
    const hooks = names.filter((name) => !name.endsWith(".sample") && isProgram(name, folder, see));
    return { found: hooks.sort(), unread: null };
  } catch (cause) {
    const isNone = ["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(cause));
    return { found: [], unread: isNone ? null : CLOSED };
  }
}

function isProgram(name: string, folder: AbsolutePath, see: Lstat): boolean {
  const way = wayOf(name, folder, see);
  if (dependsOnWho(way)) return true;
  const stats = way.end === null ? null : see(way.end);
  // Through another name of the file it could become one.
  return stats?.isFile() === true && ((stats.mode & 0o111) !== 0 || stats.nlink > 1);
}
