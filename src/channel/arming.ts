/** Nobody has read a question in less time; what comes sooner was meant for something else. */
export const UNREAD_MS = 200;

/** Whether keys count: not before what they answer has been on the screen for a while. */
export class Arming implements Disposable {
  readonly #forgetTyped: () => void;
  #timer: NodeJS.Timeout | null = null;
  #isArmed = false;
  #unreadMs = UNREAD_MS;

  /** `forgetTyped` throws away what was typed until now, and is called when keys begin to count. */
  constructor(forgetTyped: () => void) {
    this.#forgetTyped = forgetTyped;
  }

  get isArmed(): boolean {
    return this.#isArmed;
  }

  /** What keys answer stands on the screen: they count in a while, unless they do already. */
  begin(): void {
    if (this.#isArmed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      // A key that was pressed before, but could not be read until now, is not a key that was pressed now.
      this.#forgetTyped();
      this.#isArmed = true;
    }, this.#unreadMs);
  }

  /** Keys count for nothing until `begin` is called again, and so long after that. */
  disarm(unreadMs = UNREAD_MS): void {
    this.#unreadMs = unreadMs;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#isArmed = false;
  }

  /** Something came that is no key: what comes next may belong to it, so keys count in a while from now. */
  extend(): void {
    if (!this.#isArmed && this.#timer === null) return;
    this.disarm(this.#unreadMs);
    this.begin();
  }

  [Symbol.dispose](): void {
    this.disarm();
  }
}
