import { readdirSync, readFileSync } from "node:fs";
import { type ProcessId, printProcess, processAt, signal, stateOf } from "./process-id.ts";

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
    const running = below(process.pid).filter((one) => !isAtRest(one, stopped.has(printProcess(one))));
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
function isAtRest(one: ProcessId, wasSignalled: boolean): boolean {
  const state = stateOf(one);
  return state === null || "TtZX".includes(state) || (state === "D" && wasSignalled);
}

function below(pid: number): readonly ProcessId[] {
  return childrenOf(pid).flatMap((child) => {
    const found = processAt(child);
    return found === null ? [] : [found, ...below(child)];
  });
}

/** Each thread has its own (proc(5)). */
function childrenOf(pid: number): readonly number[] {
  try {
    const tasks = `/proc/${pid}/task`;
    const lists = readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, "utf8"));
    return lists.flatMap((list) => list.split(" ").filter((one) => one !== "")).map(Number);
  } catch {
    return [];
  }
}
