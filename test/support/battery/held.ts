import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Stops the processes as soon as something is seen, and still is when they have stopped; false, and none is stopped, when
 * that is over before.
 */
export async function heldAmidst(
  pids: readonly number[],
  isSeen: () => boolean,
  over: Promise<unknown>,
): Promise<boolean> {
  const end = { isOver: false };
  void over.finally(() => {
    end.isOver = true;
  });
  while (!end.isOver) {
    if (isSeen()) {
      signalAll(pids, "SIGSTOP");
      while (pids.some(runs)) await nextTurn();
      if (isSeen()) return true;
      signalAll(pids, "SIGCONT");
    }
    await nextTurn();
  }
  return false;
}

function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch {
      // Ended meanwhile.
    }
}

/** A stop takes effect a moment after its signal: a call that is under way is ended first. */
function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !"TtZX".includes(stat[stat.lastIndexOf(")") + 2] ?? "X");
  } catch {
    return false;
  }
}
