import { stopBelow } from "../host/standstill.ts";
import { ENDING, exitNow, statusOf } from "./signals.ts";

/** For so long after the first signal another one changes nothing: whoever runs this may well send each twice. */
const PATIENCE_MS = 2_000;

/** The signals that ask this process to end, as an abort of what it is doing. */
export interface Ending extends Disposable {
  readonly signal: AbortSignal;
  /** 128 and the number of the signal that came first, or null. Whatever the program did about its own end. */
  status(): number | null;
}

/**
 * From now on the first such signal aborts, so that what runs is ended, within a second or so, and cleaned up after. One
 * that comes when that takes much longer ends this process at once, and the kernel ends the sandbox with it.
 * When this process is stopped, by Ctrl-Z say, so is what it runs: nothing goes on that nobody holds to its bounds.
 */
export function listenForEnding(): Ending {
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

/**
 * Does what an ending signal aborts, and cleans up after. Once one has come, this process ends with its status, whatever
 * became of the work: whoever asked it to end does not wait for a reader that may never come.
 */
export async function untilSignalled(work: (ending: Ending) => Promise<number>): Promise<number> {
  using ending = listenForEnding();
  const status = await work(ending).catch((error: unknown) => {
    if (ending.status() === null) throw error;
    return 0;
  });
  const ended = ending.status();
  return ended === null ? status : process.exit(ended);
}

/** Waits for a signal; at once where it was given. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The kernel decides whether this process is stopped: not where nobody is there to continue it (POSIX, 2.4.3). */
function stop(): void {
  const goOn = stopBelow();
  process.off("SIGTSTP", stop);
  // Comes back when this process was continued, or was not stopped.
  process.kill(process.pid, "SIGTSTP");
  process.on("SIGTSTP", stop);
  goOn();
}
