import { type ProcessId, printProcess, processesBelow, signal } from "./process-id.ts";
import type { ProcessStatus } from "./process-table.ts";

/** Milliseconds of looking for processes that run, or were started meanwhile. */
const LOOKING_MS = 500;

/**
 * Stops every process below this one, in sandboxes and beside them, even if it handles signals; returns a function that
 * lets them go on. One that was stopped before stays so. Looks until none runs: one that is not stopped yet may start
 * others. Never throws: a process that can't be stopped runs on.
 */
export function stopBelow(): () => void {
  const stopped = new Map<string, ProcessId>();
  const until = performance.now() + LOOKING_MS;
  for (;;) {
    const running = processesBelow(process.pid).filter(
      (one) => !isAtRest(one, stopped.has(printProcess(one))),
    );
    if (running.length === 0 || performance.now() > until) break;
    for (const one of running) {
      signal(one, "SIGSTOP");
      stopped.set(printProcess(one), one);
    }
  }
  return () => {
    for (const one of stopped.values()) signal(one, "SIGCONT");
  };
}

/** Stopped, or over; one in an uninterruptible wait in the kernel stops before it comes back from there. */
function isAtRest({ state }: ProcessStatus, wasSignalled: boolean): boolean {
  return "TtZX".includes(state) || (wasSignalled && UNINTERRUPTIBLE.includes(state));
}

/** The states of such a wait on Linux and macOS (proc(5), ps(1)). */
const UNINTERRUPTIBLE = ["D", "U"];
