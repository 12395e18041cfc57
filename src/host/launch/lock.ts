import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { namesIn } from "../look/names-in.ts";
import { pause } from "../pause.ts";
import { codeOf } from "../system-error.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "./process-id.ts";

/** Milliseconds to wait for another running process that has the lock. */
const WAIT_MS = 5_000;
const PAUSE_MS = 3;

const FREE = "free";

/**
 * One process at a time. The lock is a folder that always holds exactly one file, whose *name* is the state: `free`, or
 * `<pid>.<start>` of its owner. Every change is one `rename` of that file, which the kernel does whole or not at all,
 * and for one caller alone: all others find the old name gone (rename(2)). So, without a lock of the kernel's, which
 * Node has no call for:
 * - two never have it: to take it is to rename `free`, or the name of an owner that has ended. Neither can take it from
 *   a new owner, because that one's name is another; and an ended process never comes back, so its name can't either
 *   (pid and start time are never used twice).
 * - no instant of death leaves it unreadable: a name is never half written. An owner that dies is followed at once.
 * - giving it back renames our own name, so only its owner can give it back.
 * The folder is made with its file inside and renamed into place, which fails if one with a file is there already.
 * Throws `SANDBOX_UNAVAILABLE` if a running process keeps it for more than five seconds, or the disk refuses.
 */
export async function lock(folder: AbsolutePath): Promise<Disposable> {
  const mine = printProcess(thisProcess());
  const until = performance.now() + WAIT_MS;
  for (;;) {
    if (isTaken(folder, FREE, mine) || isTakenOver(folder, mine))
      return { [Symbol.dispose]: () => renameSync(joinPath(folder, mine), joinPath(folder, FREE)) };
    if (performance.now() > until) throw unavailable(folder);
    await pause(PAUSE_MS);
  }
}

/** Removes files beside a path named `<its name>.<pid>.<start>` of a process that ended at its work. */
export function sweepUnfinished(folder: AbsolutePath): void {
  const prefix = `${nameOf(folder)}.`;
  for (const name of namesIn(parentOf(folder))) {
    const maker = name.startsWith(prefix) ? readProcess(name.slice(prefix.length)) : null;
    if (maker !== null && !isRunning(maker))
      rmSync(joinPath(parentOf(folder), name), { recursive: true, force: true });
  }
}

/** One listing may miss the name while it changes; then nothing is taken over, and the next look finds more. */
function isTakenOver(folder: AbsolutePath, mine: string): boolean {
  const names = namesIn(folder);
  if (names.length === 0) return isMade(folder, mine);
  const ended = names.find((name) => {
    const owner = readProcess(name);
    return owner !== null && !isRunning(owner);
  });
  return ended !== undefined && isTaken(folder, ended, mine);
}

function isTaken(folder: AbsolutePath, from: string, mine: string): boolean {
  return isDone(folder, ["ENOENT"], () => renameSync(joinPath(folder, from), joinPath(folder, mine)));
}

/** Makes the folder with the lock in it taken. A folder can only be renamed onto one that is empty (rename(2)). */
function isMade(folder: AbsolutePath, mine: string): boolean {
  const fresh = joinPath(parentOf(folder), `${nameOf(folder)}.${mine}`);
  try {
    return isDone(folder, ["ENOTEMPTY", "EEXIST"], () => {
      mkdirSync(fresh, { recursive: true, mode: 0o700 });
      writeFileSync(joinPath(fresh, mine), "", { mode: 0o600 });
      renameSync(fresh, folder);
    });
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** False if it failed in an expected way: another process was first. */
function isDone(folder: AbsolutePath, expected: readonly string[], change: () => void): boolean {
  try {
    change();
    return true;
  } catch (cause) {
    const code = codeOf(cause);
    if (expected.includes(code)) return false;
    throw new CofferdamError("SANDBOX_UNAVAILABLE", `the lock ${visible(folder)} can't be taken: ${code}`, {
      hint: `make sure that this user may write in ${visible(parentOf(folder))}, and that the disk is not full`,
      cause,
    });
  }
}

function unavailable(folder: AbsolutePath): CofferdamError {
  const owner = namesIn(folder)
    .map(readProcess)
    .find((one) => one !== null);
  const [who, hint] =
    owner === undefined
      ? ["an unknown process", `remove ${visible(folder)} if no cofferdam runs`]
      : [`process ${owner.pid}`, `end process ${owner.pid} if it hangs`];
  return new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    `the lock ${visible(folder)} was not released within ${WAIT_MS / 1_000} seconds by ${who}`,
    { hint },
  );
}
