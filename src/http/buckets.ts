import { RecentMap } from "../host/recent-map.ts";

/** How often something may happen: so many at once, and then so many a second. */
export interface Rate {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** So many are told apart; whoever came longest ago is forgotten, and begins anew. */
const MOST_KNOWN = 1_000;

/** Counts by name what must not happen too often. Each name has a bucket that fills by itself. */
export class Buckets {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new RecentMap<string, { readonly left: number; readonly at: number }>(MOST_KNOWN);

  /** `now`: milliseconds that only grow. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Takes one. Null where there was one; else in how many seconds there will be. */
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
