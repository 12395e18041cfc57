/** Runs work with a maximum of concurrent jobs, in order of arrival. */
export class LimitedWork {
  readonly #max: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs the work at its turn. Rejects with the signal's reason if that comes first: then nothing is done. */
  async take<Made>(signal: AbortSignal, work: () => Promise<Made>): Promise<Made> {
    signal.throwIfAborted();
    await this.#enter(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#taken < this.#max) {
        this.#taken += 1;
        resolve();
        return;
      }
      const stop = (): void => {
        this.#waiting.delete(go);
        reject(signal.reason);
      };
      const go = (): void => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  /** The longest waiting has the turn at once: no other can come between. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
