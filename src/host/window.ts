import type { Writable } from "node:stream";
import { CofferdamError } from "../errors.ts";

/** How large a terminal is, in characters: 1 to 65,535 of each (ioctl_tty(2), `struct winsize`). */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The window that a program's own terminal is seen through: a person's terminal, or one drawn on a page. What is typed there
 * is the call's `stdin`, what is shown there goes to its `sinks`. `{ size: () => ({ columns: 80, rows: 24 }) }` is one.
 */
export interface TerminalWindow {
  /** How large it is now. Asked before the program starts, and whenever the window says that this changed. */
  size(): WindowSize;
  /** Has `changed` called each time that the size is another one; what it returns ends that. */
  onResize?(changed: () => void): () => void;
  /**
   * Called when the walls stand and nothing of the program has run: from now on what is typed and shown is the program's.
   * It is waited for; what it throws ends the call before the program starts.
   */
  open?(): void | Promise<void>;
}

/** The window of a terminal that nobody looks at. */
export const NOBODYS_WINDOW: TerminalWindow = { size: () => ({ columns: 80, rows: 24 }) };

/**
 * Tells a terminal inside how large its window is, now and whenever that changes, until it is disposed of; and at first
 * whether what the program is handed as its standard input is typed there.
 */
export function tellSizes(window: TerminalWindow, sizes: Writable, isTyped: boolean): Disposable {
  const tell = (): void => void sizes.write(sizeLine(window.size()));
  sizes.write(sizeLine(window.size()).replace("\n", isTyped ? " typed\n" : "\n"));
  const end = window.onResize?.(tell);
  return { [Symbol.dispose]: () => end?.() };
}

/** The line by which a terminal inside is told its size. Throws `USAGE` for a size that no terminal has. */
export function sizeLine({ columns, rows }: WindowSize): string {
  for (const count of [columns, rows]) {
    if (Number.isInteger(count) && count >= 1 && count <= 65_535) continue;
    throw new CofferdamError("USAGE", `a terminal can't be ${columns} columns wide and ${rows} rows high`, {
      hint: "give whole numbers from 1 to 65535",
    });
  }
  return `${rows} ${columns}\n`;
}
