import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Which process: its pid, and when it started. No two processes since boot have the same. */
export interface ProcessId {
  readonly pid: number;
  /** In clock ticks since boot (proc(5), field 22 of `stat`); null where there is no `/proc`. */
  readonly startedAt: string | null;
}

/** This process. Throws node's error when it can't be looked at: by half an identity it would count as ended. */
export function thisProcess(): ProcessId {
  const { pid } = process;
  try {
    return { pid, startedAt: readStat(pid)[19] ?? null };
  } catch (cause) {
    if (isGone(cause)) return { pid, startedAt: null };
    throw cause;
  }
}

/**
 * When a process started, in clock ticks since boot (proc(5), field 22 of `stat`): with its pid, its identity. Null when
 * there is no such process, or no `/proc`.
 */
export function startedAt(pid: number): string | null {
  return statOf(pid)[19] ?? null;
}

/**
 * False when the process has ended, whether or not its parent has noticed. One that can't be looked at (no descriptor is
 * left, say) counts as running.
 */
export function isRunning({ pid, startedAt: started }: ProcessId): boolean {
  try {
    const stat = readStat(pid);
    return stat[19] === started && !isOver(stat);
  } catch (cause) {
    return !isGone(cause);
  }
}

/** Resolves when the process that started then has ended, whether or not its parent has noticed, or when the time is up. */
export async function untilEnded(pid: number, started: string | null, maxMs: number): Promise<void> {
  const until = performance.now() + maxMs;
  for (;;) {
    const stat = statOf(pid);
    if (stat[19] !== started || isOver(stat) || performance.now() > until) return;
    await nextTurn();
  }
}

/** A zombie, or dead (proc(5)). */
function isOver([state]: readonly string[]): boolean {
  return state === "Z" || state === "X";
}

/** Gone before it was opened, or between opening and reading (proc(5): ESRCH). */
function isGone(cause: unknown): boolean {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return code === "ENOENT" || code === "ESRCH";
}

/** Empty when there is no such process. */
function statOf(pid: number): readonly string[] {
  try {
    return readStat(pid);
  } catch {
    return [];
  }
}

/** The fields behind the name: the state is the first. Throws node's errors. */
function readStat(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
