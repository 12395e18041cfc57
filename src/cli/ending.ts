import { stopBelow } from "../host/launch/standstill.ts";
import { ENDING, exitNow, statusOf } from "./signals.ts";

/** Further signals are ignored for this time after the first: some supervisors send each signal twice. */
const PATIENCE_MS = 2_000;

/** The signals that ask this process to end, as an abort of its work. */
export interface SignalScope extends Disposable {
  readonly signal: AbortSignal;
  /** 128 plus the number of the first signal, or null. Independent of how the program ended. */
  status(): number | null;
}

/**
 * The first such signal aborts: the work ends within about a second and is cleaned up. One after `PATIENCE_MS` ends
 * this process and its sandbox at once. A stop (Ctrl-Z) also stops the sandbox: nothing runs without its limits.
 */
export function listenForEnding(): SignalScope {
  const controller = new AbortController();
  let first: { readonly status: number; readonly at: number } | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    const now = performance.now();
    if (first !== null && now - first.at > PATIENCE_MS) process.exit(first.status);
    first ??= { status: statusOf(name), at: now };
    controller.abort();
  };
  for (const name of ENDING) {
    process.on(name, onSignal);
    process.off(name, exitNow);
  }
  process.on("SIGTSTP", stop);
  return {
    signal: controller.signal,
    status: () => first?.status ?? null,
    [Symbol.dispose]: () => {
      for (const name of ENDING) {
        process.on(name, exitNow);
        process.off(name, onSignal);
      }
      process.off("SIGTSTP", stop);
    },
  };
}

/** Runs work that a signal aborts. This process then ends with the signal's status, without a wait for a reader. */
export async function untilSignalled(work: (ending: SignalScope) => Promise<number>): Promise<number> {
  using ending = listenForEnding();
  const status = await work(ending).catch((error: unknown) => {
    if (ending.status() === null) throw error;
    return 0;
  });
  const ended = ending.status();
  return ended === null ? status : process.exit(ended);
}

/** The kernel only stops this process if a process is there to continue it (POSIX, 2.4.3). */
function stop(): void {
  const goOn = stopBelow();
  process.off("SIGTSTP", stop);
  // Returns when this process was continued, or was not stopped.
  process.kill(process.pid, "SIGTSTP");
  process.on("SIGTSTP", stop);
  goOn();
}
