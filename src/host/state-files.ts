import { mkdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import type { AbsolutePath } from "../profile/path.ts";
import { sweepUnfinished } from "./lock.ts";
import { printProcess, thisProcess } from "./process-id.ts";
import { codeOf } from "./system-error.ts";

/** How the name of a file that one process alone writes ends while it is written. */
export const UNFINISHED = ".unfinished";

/** The file is there with all of its text, or not at all; for a name that one process alone writes. Throws node's errors. */
export function writeWhole(file: AbsolutePath, text: string): void {
  renamed(`${file}${UNFINISHED}`, file, text);
}

/**
 * The same for a name that several processes write: the last has it. Whatever stood there is replaced, and what was left by
 * those that were killed at this is removed. Throws node's errors.
 */
export function writeWholeAmong(file: AbsolutePath, text: string): void {
  sweepUnfinished(file);
  renamed(`${file}.${printProcess(thisProcess())}`, file, text);
}

function renamed(fresh: string, file: AbsolutePath, text: string): void {
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, file);
}

/** Does what writes in a folder of ours, and makes the folder where it is not there yet. Throws node's errors. */
export function inFolder(folder: AbsolutePath, write: () => void): void {
  try {
    write();
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    write();
  }
}

/** Removes a file that may be gone by now. Throws node's errors. */
export function removeFile(file: AbsolutePath): void {
  try {
    unlinkSync(file);
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
  }
}
