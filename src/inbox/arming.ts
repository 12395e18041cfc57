import { isCovered, isField } from "./dom.ts";
import { AnswerWait } from "./wait.ts";

/** Whether answers count. A request must first be on the screen for a while, without a key press or click. */
export class AnswerArming {
  readonly #isShown: () => boolean;
  readonly #onChange: (isArmed: boolean) => void;
  readonly #wait = new AnswerWait(() => performance.now());
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `isShown`: the request is on the screen. `onChange`: answers count from now on, or no longer do. */
  constructor(isShown: () => boolean, onChange: (isArmed: boolean) => void) {
    this.#isShown = isShown;
    this.#onChange = onChange;
    // A person who returns to the page has not read it yet.
    document.addEventListener("visibilitychange", () => this.beginUnasked());
    window.addEventListener("focus", () => this.beginUnasked());
    // A dialog was closed; only the dialog itself receives this event.
    document.addEventListener("close", () => this.begin(), true);
    // Also counts presses on empty space and on disabled buttons, which get no click.
    document.addEventListener("pointerdown", () => this.#press(), true);
    const onKey = ({ target }: KeyboardEvent): void => {
      if (!isField(target)) this.#press();
    };
    document.addEventListener("keydown", onKey, true);
  }

  /** True if an answer counts: by a key, or by the first click of a series. Otherwise the wait starts again. */
  takes(event?: UIEvent): boolean {
    const isTaken = this.#isReadable() && this.#wait.takes(event?.detail ?? 0);
    if (!isTaken) this.begin();
    return isTaken;
  }

  /** The screen shows something else: answers count after a short wait. */
  begin(): void {
    this.#wait.begin();
    this.#watch();
  }

  /** The same without an action of the person: the wait is longer. */
  beginUnasked(): void {
    this.#wait.beginUnasked();
    this.#watch();
  }

  /** A press during the wait, or on a covering dialog, means that the person is not reading. */
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
