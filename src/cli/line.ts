/** Minimum speed of a line that a person can work over, in bytes per millisecond: about 1 Mbit/s. */
const SLOWEST = 100;

/** The maximum delay of a terminal on a slow line. It is computed: the arrival of sent output cannot be measured. */
export class SlowLine {
  readonly #now: () => number;
  #clearAt = 0;

  /** `now`: milliseconds from any start. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  sent(bytes: number): void {
    this.#clearAt = Math.max(this.#clearAt, this.#now()) + bytes / SLOWEST;
  }

  /** Milliseconds until all of it has arrived. */
  get behindMs(): number {
    return Math.max(0, this.#clearAt - this.#now());
  }
}
