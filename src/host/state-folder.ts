import { accessSync, chmodSync, constants, mkdirSync, type Stats, statfsSync, statSync } from "node:fs";
import { CofferdamError, escapeInvisible, visible } from "../errors.ts";
import { type AbsolutePath, joinPath, nameOf, upwards } from "../profile/path.ts";
import type { Host } from "./host.ts";
import { statsOf } from "./nodes.ts";
import { noRoomIn } from "./state-files.ts";
import { codeOf } from "./system-error.ts";

/** The folders in it that are made once and stay. A file in the place of one would only be met in the midst of a call. */
const FOLDERS = [
  "calls",
  "cgroups",
  "devices",
  "journal",
  "ledger",
  "ledger-lock",
  "live",
  "live-lock",
  "temporaries",
  "trust",
] as const;

/** What helps whatever is wrong with the place of the state folder. */
export const OTHER_STATE = "set XDG_STATE_HOME to a folder of your own";

/** The file that hides files: see `Facts.emptyFile`. */
const EMPTY = "empty";

/**
 * Makes the state folder, readable by its owner alone. Throws `CONFIG_INVALID` when it can't be made, belongs to somebody
 * else or is not what this version makes of it, and `SANDBOX_UNAVAILABLE` when nothing can be written in it.
 */
export function makeStateFolder(host: Pick<Host, "stateFolder" | "user">): void {
  const folder = host.stateFolder;
  assertUsable(host);
  if (followed(folder) === null) {
    try {
      makeFolders(folder);
    } catch (cause) {
      throw unmade(folder, cause instanceof Error ? cause.message : String(cause), cause);
    }
    // Somebody else may have been first.
    assertUsable(host);
  }
  if (((followed(folder)?.mode ?? 0) & 0o077) !== 0) chmodSync(folder, 0o700);
}

function assertUsable(host: Pick<Host, "stateFolder" | "user">): void {
  const problem = problemOfState(host);
  if (problem !== null) throw problem;
}

/**
 * Makes a folder and those above it, for their owner alone; what is there stays as it is. Each once: where none can be made
 * and none is there, as on procfs, Node's own way goes on for ever. Throws node's errors.
 */
export function makeFolders(folder: AbsolutePath): void {
  const missing = [...upwards(folder)].filter((path) => followed(path) === null);
  for (const path of missing.toReversed())
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw cause;
    }
}

/** What keeps calls from being run with this state folder, or null. Makes and writes nothing. */
export function problemOfState({
  stateFolder,
  user,
}: Pick<Host, "stateFolder" | "user">): CofferdamError | null {
  const stats = followed(stateFolder);
  const there = [...upwards(stateFolder)].find((path) => statsOf(path) !== null) ?? stateFolder;
  if (followed(there)?.isDirectory() !== true) return unmade(stateFolder, `${visible(there)} is no folder`);
  if (stats !== null && stats.uid !== user.uid)
    return new CofferdamError(
      "CONFIG_INVALID",
      `the state folder ${visible(stateFolder)} belongs to another user`,
      {
        hint: OTHER_STATE,
      },
    );
  const odd =
    stats === null ? undefined : [...FOLDERS, EMPTY].find((name) => isOdd(joinPath(stateFolder, name)));
  if (odd !== undefined)
    return new CofferdamError(
      "CONFIG_INVALID",
      `the state folder ${visible(stateFolder)} holds \`${odd}\`, which is not what this made`,
      { hint: `remove ${visible(joinPath(stateFolder, odd))}: it is made anew` },
    );
  const folders = FOLDERS.map((name) => joinPath(stateFolder, name)).filter((path) => statsOf(path) !== null);
  const closed = [there, ...folders].map(unwritable).find((problem) => problem !== null);
  if (closed !== undefined) return closed;
  return hasNoRoom(there) ? noRoomIn(there, "ENOSPC") : null;
}

/** What stands there, links followed: a person may keep the state elsewhere. Null for nothing, and for what can't be seen. */
function followed(path: AbsolutePath): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Something that is no folder, nor leads to one; what hides files must be a file that says nothing, to nobody. */
function isOdd(path: AbsolutePath): boolean {
  const stats = statsOf(path);
  if (stats === null) return false;
  if (nameOf(path) !== EMPTY) return followed(path)?.isDirectory() !== true;
  return !stats.isFile() || stats.size > 0 || (stats.mode & 0o777) !== 0;
}

function unwritable(folder: AbsolutePath): CofferdamError | null {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (cause) {
    return new CofferdamError(
      "SANDBOX_UNAVAILABLE",
      `nothing can be written in ${visible(folder)}, for the state of calls: ${codeOf(cause)}`,
      { hint: `${OTHER_STATE}, or let this user write there`, cause },
    );
  }
}

/** True without a free block or file. Some file systems count no files: then what is free of them says nothing (statfs(2)). */
function hasNoRoom(folder: AbsolutePath): boolean {
  const { bavail, bfree, files, ffree, blocks } = statfsSync(folder);
  const free = process.geteuid?.() === 0 ? bfree : bavail;
  return (blocks > 0 && free === 0) || (files > 0 && ffree === 0);
}

function unmade(folder: AbsolutePath, why: string, cause?: unknown): CofferdamError {
  return new CofferdamError(
    "CONFIG_INVALID",
    `the state folder ${visible(folder)} cannot be made: ${escapeInvisible(why)}`,
    { hint: `make it, or ${OTHER_STATE}`, cause },
  );
}
