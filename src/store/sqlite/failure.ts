import { CofferdamError, escapeInvisible, visible } from "../../errors.ts";
import { codeOf } from "../../host/system-error.ts";
import type { AbsolutePath } from "../../profile/path.ts";

/** The file of a store can't be used as one. */
export function unavailable(file: AbsolutePath, what: string, hint: string, cause?: unknown): CofferdamError {
  return new CofferdamError("STORE_UNAVAILABLE", `the store ${visible(file)} ${what}`, { hint, cause });
}

/** What SQLite or the system threw, as `STORE_UNAVAILABLE`; anything else as it is. */
export function told(file: AbsolutePath, cause: unknown): unknown {
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
const LOOK = "see that this user may read and write it, its folder and what stands beside it";
const OTHER = "move it away: nothing of it is changed or removed here";

/** By SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const MEANINGS: Readonly<Record<number, readonly [what: string, hint: string]>> = {
  [BUSY]: ["is locked by another program", "end the program that holds it, or try again"],
  8: ["can't be written", LOOK],
  10: ["can't be read or written", "see that its disk works and has room"],
  11: ["is damaged", OTHER],
  13: ["has no room", "make room on its disk"],
  14: ["can't be opened", LOOK],
  26: ["is no store", OTHER],
};

/** The primary result code of what SQLite threw, which stands in the lower bits of the one that node tells. */
function sqliteCode(cause: unknown): number | null {
  if (!(cause instanceof Error) || !("errcode" in cause) || typeof cause.errcode !== "number") return null;
  return cause.errcode & 0xff;
}
