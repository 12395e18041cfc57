import { isCovered, isField } from "./dom.ts";
import { Wait } from "./wait.ts";

/** Whether answers count: not before what they answer has been on the screen for a while, with nothing pressed. */
export class Arming {
  readonly #isShown: () => boolean;
  readonly #onChange: (isArmed: boolean) => void;
  readonly #wait = new Wait(() => performance.now());
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `isShown`: what is to be answered stands on the screen. `onChange`: answers count from now on, or don't. */
  constructor(isShown: () => boolean, onChange: (isArmed: boolean) => void) {
    this.#isShown = isShown;
    this.#onChange = onChange;
    // Whoever comes back to the page has not read it yet.
    document.addEventListener("visibilitychange", () => this.beginUnasked());
    window.addEventListener("focus", () => this.beginUnasked());
    // A dialog is closed; such events come to it alone.
    document.addEventListener("close", () => this.begin(), true);
    // Also what is pressed where nothing is: on a button that is off there is no click.
    document.addEventListener("pointerdown", () => this.#press(), true);
    const onKey = ({ target }: KeyboardEvent): void => {
      if (!isField(target)) this.#press();
    };
    document.addEventListener("keydown", onKey, true);
  }

  /** An answer counts, by a key or by a click that is the first of its kind; where it does not, the wait begins anew. */
  takes(event?: UIEvent): boolean {
    const isTaken = this.#isReadable() && this.#wait.takes(event?.detail ?? 0);
    if (!isTaken) this.begin();
    return isTaken;
  }

  /** Something else stands on the screen: answers count in a while. */
  begin(): void {
    this.#wait.begin();
    this.#watch();
  }

  /** The same, and nobody asked for it: answers count in a longer while. */
  beginUnasked(): void {
    this.#wait.beginUnasked();
    this.#watch();
  }

  /** Who presses something before that, or on what lies over it, does not read. */
  #press(): void {
    if (!this.#wait.isOver || isCovered()) this.begin();
  }

  #isReadable(): boolean {
    return document.visibilityState === "visible" && this.#isShown() && !isCovered();
  }

  #watch(): void {
    this.#onChange(false);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.#wait.isOver) this.#watch();
      else this.#onChange(this.#isReadable());
    }, Math.ceil(this.#wait.leftMs));
  }
}
