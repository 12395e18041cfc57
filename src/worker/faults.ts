import { constants } from "node:os";
import type { FileFault } from "../tool/files/protocol.ts";

/** The reason why an operation ends; it becomes the answer. It never leaves this process, so no `CofferdamError`. */
export class WorkerFault extends Error {
  override readonly name = "Fault";
  readonly fault: FileFault;

  constructor(fault: FileFault["fault"], path: string, why: string, need: FileFault["need"] = null) {
    super(`${fault} ${path}: ${why}`);
    this.fault = { fault, path, need, why };
  }
}

/** The code of a system error, as `ENOENT`; null for any other error. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("errno" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** An error like the system's own, for a call that would not have been the right one. */
export function systemError(code: keyof typeof constants.errno, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, errno: -constants.errno[code] });
}

/** True for the codes of a name that is missing, or whose folder has moved. */
export function isGone(error: unknown): boolean {
  return isChanged(error) || ["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "");
}

export function isChanged(error: unknown): boolean {
  return error instanceof WorkerFault && error.fault.fault === "CHANGED";
}

/** A system error at a path, as a fault; any other error stays as it is. */
export function faultFrom(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (error instanceof WorkerFault || code === null) return error;
  return new WorkerFault(FAULTS[code] ?? "SYSTEM", path, code);
}

/** Runs a step, and adds the path to its system errors. */
export function at<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    throw faultFrom(error, path);
  }
}

/** The codes with a fault of their own. EBUSY and EXDEV have none: a mount is not ours to replace. */
const FAULTS: Readonly<Record<string, FileFault["fault"]>> = {
  ENOENT: "NOT_FOUND",
  ENOTDIR: "WRONG_KIND",
  EISDIR: "WRONG_KIND",
  EEXIST: "EXISTS",
  ENOTEMPTY: "NOT_EMPTY",
  ELOOP: "BAD_PATH",
  ENAMETOOLONG: "BAD_PATH",
  EINVAL: "BAD_PATH",
  EFBIG: "TOO_LARGE",
  ENOSPC: "DISK_FULL",
  EDQUOT: "DISK_FULL",
  EROFS: "READ_ONLY",
};
