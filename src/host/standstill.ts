import { type ProcessId, printProcess, processesBelow, signal } from "./process-id.ts";
import type { ProcessStatus } from "./process-table.ts";

/** For so long it is looked for processes that run, or were started meanwhile, in milliseconds. */
const LOOKING_MS = 500;

/**
 * Stops every process below this one, in sandboxes and beside them, whatever it does about signals, and returns what
 * lets them go on. One that was stopped before stays so. Looks until nobody runs any more: one that is not stopped yet
 * may start others. Never throws: what can't be stopped runs on.
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

/** Stopped, or over; one that waits in the kernel for what can't be interrupted stops before it comes back from there. */
function isAtRest({ state }: ProcessStatus, wasSignalled: boolean): boolean {
  return "TtZX".includes(state) || (wasSignalled && UNINTERRUPTIBLE.includes(state));
}

/** As Linux and macOS call it (proc(5), ps(1)). */
const UNINTERRUPTIBLE = ["D", "U"];
