/** Nobody has read a request in less time: what comes sooner was meant for something else. */
const UNREAD_MS = 300;
/** Nor found out in less time that the page has turned to another request, or has come up, by itself. */
const UNASKED_MS = 1_000;

/** How long a request has to stand on the screen, with nothing pressed, before an answer to it counts. */
export class Wait {
  readonly #now: () => number;
  #forMs = UNASKED_MS;
  #overAt: number;

  /** `now`: milliseconds, of a clock that is never put back. */
  constructor(now: () => number) {
    this.#now = now;
    this.#overAt = now() + UNASKED_MS;
  }

  get isOver(): boolean {
    return this.#now() >= this.#overAt;
  }

  /** How long it still is. */
  get leftMs(): number {
    return Math.max(0, this.#overAt - this.#now());
  }

  /** Something else stands on the screen. One that the page began by itself is as long as before until it is over. */
  begin(): void {
    if (this.isOver) this.#forMs = UNREAD_MS;
    this.#overAt = this.#now() + this.#forMs;
  }

  /** It stands there without being asked for. */
  beginUnasked(): void {
    this.#forMs = UNASKED_MS;
    this.#overAt = this.#now() + UNASKED_MS;
  }

  /** Something was pressed, for the `times`th time in a row; true where that counts, and it begins anew where not. */
  takes(times: number): boolean {
    const isTaken = this.isOver && times <= 1;
    if (!isTaken) this.begin();
    return isTaken;
  }
}
