import { CofferdamError, escapeInvisible, visible } from "../../errors.ts";
import { codeOf } from "../../host/system-error.ts";
import type { AbsolutePath } from "../../profile/path.ts";

/** The error of a file that can't be used as a store. */
export function unavailable(file: AbsolutePath, what: string, hint: string, cause?: unknown): CofferdamError {
  return new CofferdamError("STORE_UNAVAILABLE", `the store ${visible(file)} ${what}`, { hint, cause });
}

/** An error of SQLite or the system, as `STORE_UNAVAILABLE`; any other as it is. */
export function storeError(file: AbsolutePath, cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof CofferdamError) return cause;
  const code = sqliteCode(cause);
  if (code !== null || OF_THE_SYSTEM.test(codeOf(cause))) {
    const [what, hint] = (code === null ? undefined : MEANINGS[code]) ?? ["can't be used", LOOK];
    return unavailable(file, `${what}: ${escapeInvisible(cause.message)}`, hint, cause);
  }
  return cause;
}

/** True while another connection writes, opens or closes the file: the same step may work in a moment. */
export function isBusy(cause: unknown): boolean {
  return sqliteCode(cause) === BUSY;
}

/** Node's own errors begin with `ERR_`, the system's with the `E` of errno(3). */
const OF_THE_SYSTEM = /^E(?!RR_)/;

const BUSY = 5;
const LOOK = "check that this user can read and write it, its folder and the files beside it";
/** The remedy for a file that is not a store, or damaged. */
export const MOVE_AWAY = "move it away: cofferdam does not change or remove it";

/** Meanings of SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const MEANINGS: Readonly<Record<number, readonly [what: string, hint: string]>> = {
  [BUSY]: ["is locked by another program", "end the program that locks it, or try again"],
  8: ["can't be written", LOOK],
  10: ["can't be read or written", "check that its disk works and has free space"],
  11: ["is damaged", MOVE_AWAY],
  13: ["has no space left", "free space on its disk"],
  14: ["can't be opened", LOOK],
  26: ["is not a store", MOVE_AWAY],
};

/** The primary result code of SQLite's error, from the lower bits of the one that Node reports. */
function sqliteCode(cause: unknown): number | null {
  if (!(cause instanceof Error) || !("errcode" in cause) || typeof cause.errcode !== "number") return null;
  return cause.errcode & 0xff;
}
