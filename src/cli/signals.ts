import { constants } from "node:os";

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The signals that ask this process to end, as an abort of what it is doing. */
export interface Ending extends Disposable {
  readonly signal: AbortSignal;
  /** 128 and the number of the signal that came, or null. */
  status(): number | null;
}

/**
 * From now on the first such signal aborts, so that what runs can be ended and cleaned up after; the second ends this
 * process at once, and the kernel ends the sandbox with it.
 */
export function listenForEnding(): Ending {
  const controller = new AbortController();
  let status: number | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    const own = 128 + constants.signals[name];
    if (status !== null) process.exit(own);
    status = own;
    controller.abort();
  };
  for (const name of ENDING) process.on(name, onSignal);
  return {
    signal: controller.signal,
    status: () => status,
    [Symbol.dispose]: () => {
      for (const name of ENDING) process.off(name, onSignal);
    },
  };
}
