import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * When a process started, in clock ticks since boot (proc(5), field 22 of `stat`): with its pid, its identity. Null when
 * there is no such process, or no `/proc`.
 */
export function startedAt(pid: number): string | null {
  return statOf(pid)[19] ?? null;
}

/** Resolves when the process that started then has ended, whether or not its parent has noticed, or when the time is up. */
export async function untilEnded(pid: number, started: string | null, maxMs: number): Promise<void> {
  const until = performance.now() + maxMs;
  for (;;) {
    const stat = statOf(pid);
    if (stat[19] !== started || stat[0] === "Z" || performance.now() > until) return;
    await nextTurn();
  }
}

/** The fields behind the name: the state is the first. Empty when there is no such process. */
function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
