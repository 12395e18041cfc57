/** Nobody has read a request in less time: what comes sooner was meant for something else. */
const UNREAD_MS = 300;

/** Whether answers count: not before what they answer has been on the screen for a while. */
export class Arming {
  readonly #isShown: () => boolean;
  #since = Number.POSITIVE_INFINITY;

  /** `isShown`: what is to be answered stands on the screen. */
  constructor(isShown: () => boolean) {
    this.#isShown = isShown;
    // Whoever comes back to the page has not read it yet.
    document.addEventListener("visibilitychange", () => this.begin());
    window.addEventListener("focus", () => this.begin());
  }

  get isArmed(): boolean {
    return (
      document.visibilityState === "visible" &&
      this.#isShown() &&
      performance.now() - this.#since >= UNREAD_MS
    );
  }

  /** Something else stands on the screen: answers count in a while. */
  begin(): void {
    this.#since = performance.now();
  }
}
