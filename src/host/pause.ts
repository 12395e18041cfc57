import { setTimeout as timeout } from "node:timers/promises";

/** Options of a pause: its early end, and whether the process waits for it. */
export interface PauseOptions {
  readonly signal?: AbortSignal;
  readonly isHeld?: boolean;
}

/** Resolves after some milliseconds, or with the signal. Never rejects. */
export async function pause(forMs: number, { signal, isHeld = true }: PauseOptions = {}): Promise<void> {
  const early = signal === undefined ? {} : { signal };
  await timeout(forMs, undefined, { ref: isHeld, ...early }).catch(() => undefined);
}

/** Resolves at the signal; immediately if it is already aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
