/** So long, or until the signal. It keeps the process alive only where it is `held`. */
export function pause(forMs: number, signal: AbortSignal, isHeld = true): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, forMs);
    if (!isHeld) timer.unref();
    signal.addEventListener("abort", end, { once: true });
  });
}
