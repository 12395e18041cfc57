import { RecentMap } from "../host/recent-map.ts";

/** A rate: `atOnce` times in a burst, and then `perSecond` times a second. */
export interface Rate {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** Maximum of names with a bucket. The least recently used one is dropped, and starts with a full one again. */
const MAX_NAMES = 1_000;

/** Limits a rate for each name by a token bucket. */
export class Buckets {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new RecentMap<string, { readonly left: number; readonly at: number }>(MAX_NAMES);

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Takes a token. Returns null, or the seconds until the next token if there was none. */
  take(name: string): number | null {
    const { atOnce, perSecond } = this.#rate;
    const at = this.#now();
    const before = this.#buckets.get(name) ?? { left: atOnce, at };
    const filled = Math.min(atOnce, before.left + ((at - before.at) / 1_000) * perSecond);
    const isEmpty = filled < 1;
    this.#buckets.set(name, { left: isEmpty ? filled : filled - 1, at });
    return isEmpty ? Math.ceil((1 - filled) / perSecond) : null;
  }
}
