import type { TextSize } from "./question-text.ts";
import type { Tty } from "./tty.ts";

/** The control sequences in use (ECMA-48, xterm). A dumb terminal gets none of them. */
const ESC = "\u{1b}";
const PLAIN_COLOURS = `${ESC}[0m`;
const CLEAR_BELOW = `${ESC}[J`;
const OTHER_SCREEN = { enter: `${ESC}[?1049h`, clear: `${ESC}[H${ESC}[2J`, leave: `${ESC}[?1049l` } as const;
/** The terminal marks both ends of a paste, so that even one pasted letter is not read as a key. */
const MARKED_PASTE = { on: `${ESC}[?2004h`, off: `${ESC}[?2004l` } as const;

/** Rows on a terminal, replaced by the next drawing, and a second screen. Dumb terminals get all, row after row. */
export class Drawing {
  readonly #tty: Tty;
  readonly #isDumb: boolean;
  /** The number of our rows above the cursor, and the size of the terminal when they were drawn. */
  #drawn: { readonly rows: number; readonly size: TextSize } | null = null;
  #isOther = false;

  constructor(tty: Tty, isDumb: boolean) {
    this.#tty = tty;
    this.#isDumb = isDumb;
  }

  show(rows: readonly string[], size: TextSize): void {
    this.#leaveOther();
    this.#tty.write(`${this.#erased(size)}${this.#ownRow(size)}${joined(rows)}`);
    this.#drawn = { rows: rows.length, size };
  }

  add(rows: readonly string[]): void {
    this.#tty.write(joined(rows));
    if (this.#drawn !== null) this.#drawn = { ...this.#drawn, rows: this.#drawn.rows + rows.length };
  }

  /** Removes the request from the screen and leaves rows that stay. */
  leave(rows: readonly string[], size: TextSize): void {
    this.show(rows, size);
    this.#drawn = null;
  }

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

  /** Forgets the drawn rows: they have moved or are gone, and the next drawing does not touch them. */
  forget(): void {
    this.#drawn = null;
  }

  restore(): void {
    this.#leaveOther();
    if (!this.#isDumb) this.#tty.write(`${MARKED_PASTE.off}${PLAIN_COLOURS}`);
  }

  #leaveOther(): void {
    if (this.#isOther) this.#tty.write(OTHER_SCREEN.leave);
    this.#isOther = false;
  }

  /** Goes up to our first row and clears from there, unless the row has moved or left the screen. */
  #erased(size: TextSize): string {
    const { rows, size: then } = this.#drawn ?? { rows: 0, size };
    const isReached =
      rows > 0 && rows < size.rows && then.columns === size.columns && then.rows === size.rows;
    return isReached && !this.#isDumb ? `\r${ESC}[${rows}A${CLEAR_BELOW}` : "";
  }

  /** Begins an empty row. Blanks as wide as the terminal wrap to the next row unless this one was empty. */
  #ownRow({ columns }: TextSize): string {
    return this.#isDumb ? "\r\n" : `${MARKED_PASTE.on}${PLAIN_COLOURS}${" ".repeat(columns)}\r${CLEAR_BELOW}`;
  }
}

function joined(rows: readonly string[]): string {
  return rows.map((row) => `${row}\r\n`).join("");
}
