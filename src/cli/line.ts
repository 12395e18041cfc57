/** What a line that a person can work over brings at least, in bytes a millisecond: some 1 Mbit/s. */
const SLOWEST = 100;

/**
 * How far behind a terminal may be that stands at the end of a slow line. Nothing tells: what was said may have left this
 * computer and still be on its way, so the time that it takes at most is reckoned.
 */
export class Line {
  readonly #now: () => number;
  #clearAt = 0;

  /** `now` tells milliseconds from whatever time on. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** So many bytes were sent. */
  sent(bytes: number): void {
    this.#clearAt = Math.max(this.#clearAt, this.#now()) + bytes / SLOWEST;
  }

  /** How many milliseconds from now on all of it has arrived. */
  get behindMs(): number {
    return Math.max(0, this.#clearAt - this.#now());
  }
}
