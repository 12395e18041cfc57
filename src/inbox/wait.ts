/** No person can read a request in less time: an earlier key press was meant for something else. */
const UNREAD_MS = 300;
/** The same for a request that the page showed by itself, or for a page that came up by itself. */
const UNASKED_MS = 1_000;

/** How long a request must be on the screen, without a key press or click, before an answer counts. */
export class AnswerWait {
  readonly #now: () => number;
  #forMs = UNASKED_MS;
  #overAt: number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
    this.#overAt = now() + UNASKED_MS;
  }

  get isOver(): boolean {
    return this.#now() >= this.#overAt;
  }

  get leftMs(): number {
    return Math.max(0, this.#overAt - this.#now());
  }

  /** The screen shows something else. A longer wait that the page started keeps its length until it is over. */
  begin(): void {
    if (this.isOver) this.#forMs = UNREAD_MS;
    this.#overAt = this.#now() + this.#forMs;
  }

  /** The page shows something by itself. */
  beginUnasked(): void {
    this.#forMs = UNASKED_MS;
    this.#overAt = this.#now() + UNASKED_MS;
  }

  /** A press, the `times`th in a row. Returns true if it counts; otherwise the wait starts again. */
  takes(times: number): boolean {
    const isTaken = this.isOver && times <= 1;
    if (!isTaken) this.begin();
    return isTaken;
  }
}
