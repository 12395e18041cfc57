import { CofferdamError, type ErrorCode, visible } from "../../errors.ts";
import type { FileFault } from "./protocol.ts";

/** A failed operation of the worker in the sandbox, reported to the tool that requested it. */
export class FileFaultError extends Error {
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(`${fault.fault}: ${fault.why}`);
    this.name = "FileFaultError";
    this.fault = fault;
  }
}

type Failing = Exclude<FileFault["fault"], "DENIED">;

const MEANING: Readonly<Record<Failing, readonly [code: ErrorCode, what: string, hint: string]>> = {
  NOT_FOUND: ["FILE_NOT_FOUND", "does not exist", "list the folder to see its files"],
  WRONG_KIND: ["FILE_WRONG_KIND", "is of another kind", "list the folder to see its kind"],
  EXISTS: ["FILE_EXISTS", "already exists", "choose another name, or delete it first"],
  NOT_EMPTY: ["FILE_NOT_EMPTY", "is a folder that is not empty", "delete its content first"],
  CHANGED: ["FILE_CHANGED", "changed meanwhile", "read it again"],
  TOO_LARGE: ["FILE_TOO_LARGE", "is too large", "work on a part of it"],
  BAD_PATH: ["FILE_BAD_PATH", "is an invalid path", "write another path"],
  BAD_PATTERN: ["FILE_BAD_PATTERN", "can't be searched with this pattern", "write another pattern"],
  DISK_FULL: ["FILE_DISK_FULL", "does not fit on the disk", "free space; nothing was changed"],
  READ_ONLY: ["FILE_READ_ONLY", "is on a read-only mount", "write somewhere else"],
  SYSTEM: ["FILE_SYSTEM", "caused a system error", "check the name of the error"],
};

/** A fault as the error of a call; `shown` is the path in its message. For `DENIED`, see `denialOf`. */
export function faultError(
  { fault, why }: FileFault & { readonly fault: Failing },
  shown: string,
): CofferdamError {
  const [code, what, hint] = MEANING[fault];
  return new CofferdamError(code, `${visible(shown)} ${what}${why === "" ? "" : `: ${why}`}`, { hint });
}
