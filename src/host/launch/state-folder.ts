import { accessSync, chmodSync, constants, mkdirSync, type Stats, statfsSync, statSync } from "node:fs";
import { CofferdamError, escapeInvisible, visible } from "../../errors.ts";
import { type AbsolutePath, joinPath, nameOf, upwards } from "../../profile/path.ts";
import type { Host } from "../look/host.ts";
import { statsOf } from "../look/nodes.ts";
import { orNull } from "../or-null.ts";
import { codeOf } from "../system-error.ts";
import { noRoomIn } from "./state-files.ts";

/** Folders in it that are made once and stay. A file in such a place would only be noticed in the middle of a call. */
const FOLDERS = [
  "calls",
  "cgroups",
  "devices",
  "journal",
  "ledger",
  "ledger-lock",
  "live",
  "live-lock",
  "rules",
  "rules-lock",
  "temporaries",
  "trust",
] as const;

/** A hint for every problem with the place of the state folder. */
export const OTHER_STATE = "set XDG_STATE_HOME to a folder that you own";

const EMPTY = "empty";

/**
 * Makes the state folder, readable by its owner alone. Throws `CONFIG_INVALID` if it can't be made, belongs to another
 * user or differs from this version's form, and `SANDBOX_UNAVAILABLE` if nothing can be written in it.
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
    // Another process may have been first.
    assertUsable(host);
  }
  if (((followed(folder)?.mode ?? 0) & 0o077) !== 0) chmodSync(folder, 0o700);
}

function assertUsable(host: Pick<Host, "stateFolder" | "user">): void {
  const problem = problemOfState(host);
  if (problem !== null) throw problem;
}

/**
 * Makes a folder and those above it, for their owner alone; existing ones stay as they are. Each is tried once: if none
 * can be made and none is there, as on procfs, Node's own way goes on for ever. Throws node's errors.
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

/** The error that keeps calls from running with this state folder, or null. Makes and writes nothing. */
export function problemOfState({
  stateFolder,
  user,
}: Pick<Host, "stateFolder" | "user">): CofferdamError | null {
  const stats = followed(stateFolder);
  const there = [...upwards(stateFolder)].find((path) => statsOf(path) !== null) ?? stateFolder;
  if (followed(there)?.isDirectory() !== true)
    return unmade(stateFolder, `${visible(there)} is not a folder`);
  if (stats !== null && stats.uid !== user.uid)
    return unusable(stateFolder, "belongs to another user", OTHER_STATE);
  const odd =
    stats === null ? undefined : [...FOLDERS, EMPTY].find((name) => isOdd(joinPath(stateFolder, name)));
  if (odd !== undefined)
    return unusable(
      stateFolder,
      `contains \`${odd}\`, which cofferdam did not create`,
      `remove ${visible(joinPath(stateFolder, odd))}: it is created again`,
    );
  const folders = FOLDERS.map((name) => joinPath(stateFolder, name)).filter((path) => statsOf(path) !== null);
  const closed = [there, ...folders].map(unwritable).find((problem) => problem !== null);
  if (closed !== undefined) return closed;
  return hasNoRoom(there) ? noRoomIn(there, "ENOSPC") : null;
}

/** The state of a path, links followed: a person may keep it elsewhere. Null if it is missing, or can't be seen. */
function followed(path: AbsolutePath): Stats | null {
  return orNull(() => statSync(path, { throwIfNoEntry: false }) ?? null);
}

/** True for an entry that does not lead to a folder; the file that hides files must be empty, without mode bits. */
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
      `the folder ${visible(folder)} for the state of calls is not writable: ${codeOf(cause)}`,
      { hint: `${OTHER_STATE}, or let this user write there`, cause },
    );
  }
}

/** True without a free block or file. Some file systems count no files: then their number means nothing (statfs(2)). */
function hasNoRoom(folder: AbsolutePath): boolean {
  const { bavail, bfree, files, ffree, blocks } = statfsSync(folder);
  const free = process.geteuid?.() === 0 ? bfree : bavail;
  return (blocks > 0 && free === 0) || (files > 0 && ffree === 0);
}

function unmade(folder: AbsolutePath, why: string, cause?: unknown): CofferdamError {
  return unusable(
    folder,
    `cannot be created: ${escapeInvisible(why)}`,
    `create it, or ${OTHER_STATE}`,
    cause,
  );
}

function unusable(folder: AbsolutePath, what: string, hint: string, cause?: unknown): CofferdamError {
  return new CofferdamError("CONFIG_INVALID", `the state folder ${visible(folder)} ${what}`, { hint, cause });
}
