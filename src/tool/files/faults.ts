import { CofferdamError, type ErrorCode, visible } from "../../errors.ts";
import type { FileFault } from "./protocol.ts";

/** What a program inside the walls could not do, told to whoever asked it. */
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
  NOT_FOUND: ["FILE_NOT_FOUND", "is not there", "list the folder to see what is"],
  WRONG_KIND: ["FILE_WRONG_KIND", "is of another kind", "list the folder to see what it is"],
  EXISTS: ["FILE_EXISTS", "is there already", "choose another name, or delete it first"],
  NOT_EMPTY: ["FILE_NOT_EMPTY", "is a folder that is not empty", "delete what is in it first"],
  CHANGED: ["FILE_CHANGED", "changed meanwhile", "read it again"],
  TOO_LARGE: ["FILE_TOO_LARGE", "is too large", "work on a part of it"],
  BAD_PATH: ["FILE_BAD_PATH", "leads nowhere", "write another path"],
  BAD_PATTERN: ["FILE_BAD_PATTERN", "can't be searched like this", "write another pattern"],
  DISK_FULL: ["FILE_DISK_FULL", "does not fit on the disk", "make room; nothing was changed"],
  READ_ONLY: ["FILE_READ_ONLY", "lies on what can only be read", "write somewhere else"],
  SYSTEM: ["FILE_SYSTEM", "is refused by the system", "see the error's name"],
};

/** A fault as the error of a call; `shown` is how its path is told. Of `DENIED`, see `denialOf`. */
export function faultError(
  { fault, why }: FileFault & { readonly fault: Failing },
  shown: string,
): CofferdamError {
  const [code, what, hint] = MEANING[fault];
  return new CofferdamError(code, `${visible(shown)} ${what}${why === "" ? "" : `: ${why}`}`, { hint });
}
