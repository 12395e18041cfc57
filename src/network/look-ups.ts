import type { Resolve } from "../host/look/outside.ts";
import { LimitedWork } from "./turns.ts";

/**
 * Maximum of concurrent look-ups of this process, one for each call. A look-up can't be cancelled, and more would queue
 * anyway (getaddrinfo(3); libuv, src/threadpool.c: half of its threads).
 */
const ALL = new LimitedWork(2);

/** Maximum of time for one look-up, in milliseconds; after it the name does not resolve. */
const MAX_MS = 20_000;

/** The look-ups of one call: one at a time, each name once for all that want it now, none after the call's end. */
export class LookUps {
  readonly #resolve: Resolve;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, Promise<readonly string[]>>();
  readonly #own = new LimitedWork(1);
  readonly #all: LimitedWork;

  constructor(resolve: Resolve, signal: AbortSignal, all: LimitedWork = ALL) {
    this.#resolve = resolve;
    this.#signal = signal;
    this.#all = all;
  }

  /** The addresses of a name. Rejects if it does not resolve, takes too long, or the call is over. */
  readonly find: Resolve = (name) => {
    const running = this.#running.get(name) ?? this.#start(name);
    this.#running.set(name, running);
    return running;
  };

  async #start(name: string): Promise<readonly string[]> {
    const late = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    try {
      // Its turn is over when it has ended, even if no one waits for it.
      const found = this.#own.take(this.#signal, () =>
        this.#all.take(this.#signal, () => {
          const tooLate = new Error("the name could not be resolved in time");
          timer = setTimeout(() => late.reject(tooLate), MAX_MS).unref();
          return this.#resolve(name);
        }),
      );
      return await Promise.race([found, late.promise]);
    } finally {
      clearTimeout(timer);
      this.#running.delete(name);
    }
  }
}
