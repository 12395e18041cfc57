import { mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import { statsOf } from "../look/nodes.ts";
import { codeOf } from "../system-error.ts";
import { sweepUnfinished } from "./lock.ts";
import { printProcess, thisProcess } from "./process-id.ts";

/** Ending of a file's name while its only process writes it. */
export const UNFINISHED = ".unfinished";

const ABANDONED_MS = 60_000;

/** Writes a file whole or not at all, for one process. Throws node's errors, `SANDBOX_UNAVAILABLE` on a full disk. */
export function writeWhole(file: AbsolutePath, content: string | Uint8Array): void {
  try {
    renamed(`${file}${UNFINISHED}`, file, content);
  } catch (cause) {
    throw explainFull(cause, parentOf(file));
  }
}

/**
 * The same for remembered results, under a name that several processes write: the last one wins. An earlier entry is
 * replaced, and the rest of killed processes is removed. If the system refuses, as on a full disk, nothing is
 * remembered: the result will be determined again.
 */
export function remember(file: AbsolutePath, content: string | Uint8Array): void {
  try {
    sweepUnfinished(file);
    renamed(`${file}.${printProcess(thisProcess())}`, file, content);
  } catch (cause) {
    if (codeOf(cause) === "") throw cause;
  }
}

function renamed(fresh: string, file: AbsolutePath, content: string | Uint8Array): void {
  try {
    writeFileSync(fresh, content, { mode: 0o600 });
    renameSync(fresh, file);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw cause;
  }
}

/** Runs a write in a folder, made if missing. Throws node's errors, and `SANDBOX_UNAVAILABLE` on a full disk. */
export function inFolder<Value>(folder: AbsolutePath, write: () => Value): Value {
  try {
    return makingFolder(folder, write);
  } catch (cause) {
    throw explainFull(cause, folder);
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

/** True if the disk, or the user's share of it, is full (write(2), mkdir(2)). */
export function isFull(cause: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(codeOf(cause));
}

/** The error of a write in a folder of ours: `SANDBOX_UNAVAILABLE` for a full disk, else the same. */
export function explainFull(cause: unknown, folder: AbsolutePath): unknown {
  return isFull(cause) ? noRoomIn(folder, codeOf(cause), cause) : cause;
}

/** The error of a folder of ours whose disk, or the user's share of it, is full. */
export function noRoomIn(folder: AbsolutePath, code: string, cause?: unknown): CofferdamError {
  return new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    `no space is left on the disk for ${visible(folder)}: ${code}`,
    { hint: "free space there, or set XDG_STATE_HOME to a folder on another disk", cause },
  );
}

/** Removes an unfinished file or node after a minute, as making one takes milliseconds. Throws node's errors. */
export function removeIfAbandoned(path: AbsolutePath, now: number): void {
  if (isAbandoned(path, now)) rmSync(path, { force: true });
}

/** True for an entry that has not been changed for a minute. */
export function isAbandoned(path: AbsolutePath, now: number): boolean {
  return now - (statsOf(path)?.ctimeMs ?? Number.POSITIVE_INFINITY) > ABANDONED_MS;
}

/** Removes a file that may be missing. Throws node's errors. */
export function removeFile(file: AbsolutePath): void {
  try {
    unlinkSync(file);
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
  }
}
