import { mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import { type AbsolutePath, parentOf } from "../profile/path.ts";
import { sweepUnfinished } from "./lock.ts";
import { statsOf } from "./nodes.ts";
import { printProcess, thisProcess } from "./process-id.ts";
import { codeOf } from "./system-error.ts";

/** How the name of a file that one process alone writes ends while it is written. */
export const UNFINISHED = ".unfinished";

const ABANDONED_MS = 60_000;

/**
 * The file is there with all of its content, or not at all; for a name that one process alone writes. Throws node's errors, and
 * `SANDBOX_UNAVAILABLE` on a full disk.
 */
export function writeWhole(file: AbsolutePath, content: string | Uint8Array): void {
  try {
    renamed(`${file}${UNFINISHED}`, file, content);
  } catch (cause) {
    throw toldIfFull(cause, parentOf(file));
  }
}

/**
 * The same for what is only remembered, under a name that several processes write: the last has it. Whatever stood there is
 * replaced, and what was left by those that were killed at this is removed. Where the system says no, as on a full disk,
 * nothing is remembered: it will be found out again.
 */
export function remember(file: AbsolutePath, content: string | Uint8Array): void {
  try {
    sweepUnfinished(file);
    renamed(`${file}.${printProcess(thisProcess())}`, file, content);
  } catch (cause) {
    if (codeOf(cause) === "") throw cause;
  }
}

/** What could not be finished is removed. */
function renamed(fresh: string, file: AbsolutePath, content: string | Uint8Array): void {
  try {
    writeFileSync(fresh, content, { mode: 0o600 });
    renameSync(fresh, file);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw cause;
  }
}

/**
 * Does what writes in a folder of ours, and makes the folder where it is not there yet. Throws node's errors, and
 * `SANDBOX_UNAVAILABLE` on a full disk.
 */
export function inFolder<Value>(folder: AbsolutePath, write: () => Value): Value {
  try {
    return makingFolder(folder, write);
  } catch (cause) {
    throw toldIfFull(cause, folder);
  }
}

function makingFolder<Value>(folder: AbsolutePath, write: () => Value): Value {
  try {
    return write();
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return write();
  }
}

/** True when the disk, or the user's share of it, is full (write(2), mkdir(2)). */
export function isFull(cause: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(codeOf(cause));
}

/** What was thrown while a folder of ours was written in: `SANDBOX_UNAVAILABLE` for a full disk, else the same. */
export function toldIfFull(cause: unknown, folder: AbsolutePath): unknown {
  return isFull(cause) ? noRoomIn(folder, codeOf(cause), cause) : cause;
}

/** Nothing more can be kept in a folder of ours: its disk, or the user's share of it, is full. */
export function noRoomIn(folder: AbsolutePath, code: string, cause?: unknown): CofferdamError {
  return new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    `no room is left on the disk for what is kept in ${visible(folder)}: ${code}`,
    { hint: "make room there, or set XDG_STATE_HOME to a folder on another disk", cause },
  );
}

/**
 * To write a file of ours, or to make a node, takes milliseconds: what has stood there unfinished for a minute is removed,
 * as it was left by a process that was killed. Throws node's errors.
 */
export function removeIfAbandoned(path: AbsolutePath, now: number): void {
  if (isAbandoned(path, now)) rmSync(path, { force: true });
}

/** True for what stands there and has not been changed for a minute. */
export function isAbandoned(path: AbsolutePath, now: number): boolean {
  return now - (statsOf(path)?.ctimeMs ?? Number.POSITIVE_INFINITY) > ABANDONED_MS;
}

/** Removes a file that may be gone by now. Throws node's errors. */
export function removeFile(file: AbsolutePath): void {
  try {
    unlinkSync(file);
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
  }
}
