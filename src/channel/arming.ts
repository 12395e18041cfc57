/** No person reads a request in less time: earlier keys were meant for something else. */
export const UNREAD_MS = 200;

/** Decides whether keys count. They do only after the rows that they answer have been on the screen for a while. */
export class KeyArming implements Disposable {
  readonly #forgetTyped: () => void;
  #timer: NodeJS.Timeout | null = null;
  #isArmed = false;
  #unreadMs = UNREAD_MS;

  /** `forgetTyped` discards all input typed so far. It is called when keys begin to count. */
  constructor(forgetTyped: () => void) {
    this.#forgetTyped = forgetTyped;
  }

  get isArmed(): boolean {
    return this.#isArmed;
  }

  /** Starts the delay after which keys count, unless they count already. Their rows are on the screen. */
  begin(): void {
    if (this.#isArmed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      // A key that was pressed earlier, but could not be read until now, was not pressed now.
      this.#forgetTyped();
      this.#isArmed = true;
    }, this.#unreadMs);
  }

  /** No key counts until `begin` is called again and `unreadMs` have passed. */
  disarm(unreadMs = UNREAD_MS): void {
    this.#unreadMs = unreadMs;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isArmed = false;
  }

  /** Restarts the delay after input that is no key: the next input may belong to it. */
  extend(): void {
    if (!this.#isArmed && this.#timer === null) return;
    this.disarm(this.#unreadMs);
    this.begin();
  }

  [Symbol.dispose](): void {
    this.disarm();
  }
}
