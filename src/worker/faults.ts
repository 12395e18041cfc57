import { constants } from "node:os";
import type { FileFault } from "../tool/files/protocol.ts";

/**
 * Why an operation ends, thrown from wherever that is seen and caught in one place, where it becomes the answer. No
 * `CofferdamError`: it is no broken set-up, and it never leaves this process.
 */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly fault: FileFault;

  constructor(fault: FileFault["fault"], path: string, why: string, need: FileFault["need"] = null) {
    super(`${fault} ${path}: ${why}`);
    this.fault = { fault, path, need, why };
  }
}

/** The code of a system error, as `ENOENT`; null for what is none. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("errno" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** An error as the system's own, where its call would not have been the right one. */
export function systemError(code: keyof typeof constants.errno, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, errno: -constants.errno[code] });
}

/** Any of the codes that mean that the name, as it was wanted, is not there; or what it was wanted in is elsewhere by now. */
export function isGone(error: unknown): boolean {
  return isChanged(error) || ["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "");
}

/** True for `CHANGED`. */
export function isChanged(error: unknown): boolean {
  return error instanceof Fault && error.fault.fault === "CHANGED";
}

/** A system error at a path as a fault; what is a fault or no system error stays as it is. */
export function faultFrom(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (error instanceof Fault || code === null) return error;
  return new Fault(FAULTS[code] ?? "SYSTEM", path, code);
}

/** Runs a step, and says of its system errors which path they are about. */
export function at<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    throw faultFrom(error, path);
  }
}

/** What the codes mean that have a word of their own. EBUSY and EXDEV have none: a mount is not ours to replace. */
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
