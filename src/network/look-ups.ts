import type { Resolve } from "../host/outside.ts";

/**
 * So many names of one call are looked up at once. A look-up can't be taken back, and the machine does few at a time for
 * all that this process does (getaddrinfo(3); libuv, src/threadpool.c: half of its threads).
 */
const MOST_AT_ONCE = 2;

/** How long one may take, in milliseconds; then the name leads nowhere. */
const MOST_MS = 20_000;

/** The look-ups of one call: few at a time, each name once for all who want it now, and none when the call is over. */
export class LookUps {
  readonly #resolve: Resolve;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, Promise<readonly string[]>>();
  readonly #waiting: (() => void)[] = [];
  #atOnce = 0;

  constructor(resolve: Resolve, signal: AbortSignal) {
    this.#resolve = resolve;
    this.#signal = signal;
    signal.addEventListener("abort", () => {
      for (const go of this.#waiting.splice(0)) go();
    });
  }

  /** What a name leads to. Rejects where it leads nowhere, takes too long, or the call is over. */
  readonly find: Resolve = (name) => {
    const running = this.#running.get(name) ?? this.#start(name);
    this.#running.set(name, running);
    return running;
  };

  async #start(name: string): Promise<readonly string[]> {
    try {
      if (this.#atOnce >= MOST_AT_ONCE) await new Promise<void>((go) => void this.#waiting.push(go));
      this.#signal.throwIfAborted();
      return await this.#inTime(name);
    } finally {
      this.#running.delete(name);
    }
  }

  async #inTime(name: string): Promise<readonly string[]> {
    this.#atOnce += 1;
    const found = this.#resolve(name);
    // Its place is free when it has ended, not when nobody waits for it any more.
    const next = (): void => {
      this.#atOnce -= 1;
      this.#waiting.shift()?.();
    };
    found.then(next, next);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(new Error("it took too long to look the name up")),
      MOST_MS,
    ).unref();
    try {
      return await Promise.race([found, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
