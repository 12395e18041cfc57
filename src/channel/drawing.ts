import type { Size } from "./question-text.ts";
import type { Tty } from "./tty.ts";

/** The control sequences (ECMA-48, xterm) that are used: each is left out on a terminal that is dumb. */
const ESC = "\u{1b}";
const PLAIN_COLOURS = `${ESC}[0m`;
const CLEAR_BELOW = `${ESC}[J`;
const OTHER_SCREEN = { enter: `${ESC}[?1049h`, clear: `${ESC}[H${ESC}[2J`, leave: `${ESC}[?1049l` } as const;
/** A paste comes with a mark before and behind it, so that even one pasted letter is no key. */
const MARKED_PASTE = { on: `${ESC}[?2004h`, off: `${ESC}[?2004l` } as const;

/**
 * What is drawn on a terminal: rows below what is there, which the next drawing takes the place of where they can all
 * be reached, and a second screen for long texts. A dumb terminal gets all of it one below the other.
 */
export class Drawing {
  readonly #tty: Tty;
  readonly #isDumb: boolean;
  /** How many rows of ours stand above the cursor, and how large the terminal was when they were drawn. */
  #drawn: { readonly rows: number; readonly size: Size } | null = null;
  #isOther = false;

  constructor(tty: Tty, isDumb: boolean) {
    this.#tty = tty;
    this.#isDumb = isDumb;
  }

  /** Draws the question, in place of what was drawn before. */
  show(rows: readonly string[], size: Size): void {
    this.#leaveOther();
    this.#tty.write(`${this.#erased(size)}${this.#ownRow(size)}${joined(rows)}`);
    this.#drawn = { rows: rows.length, size };
  }

  /** Adds rows to what is drawn. */
  add(rows: readonly string[]): void {
    this.#tty.write(joined(rows));
    if (this.#drawn !== null) this.#drawn = { ...this.#drawn, rows: this.#drawn.rows + rows.length };
  }

  /** Takes the question off the screen and leaves rows that stay. */
  leave(rows: readonly string[], size: Size): void {
    this.show(rows, size);
    this.#drawn = null;
  }

  /** Draws a page of the second screen. */
  page(rows: readonly string[]): void {
    if (this.#isDumb) {
      this.#drawn = null;
      this.#tty.write(joined(["", ...rows]));
      return;
    }
    const enter = this.#isOther ? "" : OTHER_SCREEN.enter;
    this.#isOther = true;
    this.#tty.write(`${enter}${PLAIN_COLOURS}${OTHER_SCREEN.clear}${joined(rows)}`);
  }

  /** What was drawn stands somewhere else by now, or not at all: the next drawing leaves it alone. */
  forget(): void {
    this.#drawn = null;
  }

  /** Puts the terminal as it was. */
  restore(): void {
    this.#leaveOther();
    if (!this.#isDumb) this.#tty.write(`${MARKED_PASTE.off}${PLAIN_COLOURS}`);
  }

  #leaveOther(): void {
    if (this.#isOther) this.#tty.write(OTHER_SCREEN.leave);
    this.#isOther = false;
  }

  /** Goes up to the first row of ours and clears from there, unless it has left the screen or moved on it. */
  #erased(size: Size): string {
    const { rows, size: then } = this.#drawn ?? { rows: 0, size };
    const isReached =
      rows > 0 && rows < size.rows && then.columns === size.columns && then.rows === size.rows;
    return isReached && !this.#isDumb ? `\r${ESC}[${rows}A${CLEAR_BELOW}` : "";
  }

  /** Begins an empty row. Blanks as wide as the terminal run over to the next row unless this one was empty. */
  #ownRow({ columns }: Size): string {
    return this.#isDumb ? "\r\n" : `${MARKED_PASTE.on}${PLAIN_COLOURS}${" ".repeat(columns)}\r${CLEAR_BELOW}`;
  }
}

function joined(rows: readonly string[]): string {
  return rows.map((row) => `${row}\r\n`).join("");
}
