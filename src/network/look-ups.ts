import type { Resolve } from "../host/outside.ts";
import { Turns } from "./turns.ts";

/**
 * So many names are looked up at once by all that this process does, one of each call: a look-up can't be taken back, and more
 * would wait behind each other anyway (getaddrinfo(3); libuv, src/threadpool.c: half of its threads).
 */
const ALL = new Turns(2);

/** How long one may take once it was begun, in milliseconds; then the name leads nowhere. */
const MOST_MS = 20_000;

/** The look-ups of one call: one at a time, each name once for all who want it now, and none when the call is over. */
export class LookUps {
  readonly #resolve: Resolve;
  readonly #signal: AbortSignal;
  readonly #running = new Map<string, Promise<readonly string[]>>();
  readonly #own = new Turns(1);
  readonly #all: Turns;

  constructor(resolve: Resolve, signal: AbortSignal, all: Turns = ALL) {
    this.#resolve = resolve;
    this.#signal = signal;
    this.#all = all;
  }

  /** What a name leads to. Rejects where it leads nowhere, takes too long, or the call is over. */
  readonly find: Resolve = (name) => {
    const running = this.#running.get(name) ?? this.#start(name);
    this.#running.set(name, running);
    return running;
  };

  async #start(name: string): Promise<readonly string[]> {
    const late = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    try {
      // Its turn is over when it has ended, not when nobody waits for it any more.
      const found = this.#own.take(this.#signal, () =>
        this.#all.take(this.#signal, () => {
          const tooLate = new Error("it took too long to look the name up");
          timer = setTimeout(() => late.reject(tooLate), MOST_MS).unref();
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
