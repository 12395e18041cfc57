import type { Writable } from "node:stream";
import { CofferdamError } from "../../errors.ts";

/** The size of a terminal, in characters: 1 to 65,535 of each (ioctl_tty(2), `struct winsize`). */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The window of a program's own terminal: a person's terminal, or one drawn on a page. Its keystrokes are the call's
 * `stdin`, its output goes to the call's `sinks`. `{ size: () => ({ columns: 80, rows: 24 }) }` is one.
 */
export interface TerminalWindow {
  /** Its size now. Asked before the program starts, and after each change that the window reports. */
  size(): WindowSize;
  /** Calls `changed` after each change of the size; the returned function ends that. */
  onResize?(changed: () => void): () => void;
  /**
   * Called once the sandbox is ready and nothing of the program has run: from now on keystrokes and output are the
   * program's. It is waited for; its error ends the call before the program starts.
   */
  open?(): void | Promise<void>;
}

/** The window of an unseen terminal. */
export const NOBODYS_WINDOW: TerminalWindow = { size: () => ({ columns: 80, rows: 24 }) };

/**
 * Sends the size of its window to a terminal inside, now and after each change, until it is disposed of; and first
 * whether the program's standard input is typed there.
 */
export function reportSizes(window: TerminalWindow, sizes: Writable, isTyped: boolean): Disposable {
  const report = (): void => void sizes.write(sizeLine(window.size()));
  sizes.write(sizeLine(window.size()).replace("\n", isTyped ? " typed\n" : "\n"));
  const end = window.onResize?.(report);
  return { [Symbol.dispose]: () => end?.() };
}

/** The line with its size for a terminal inside. Throws `USAGE` for a size that no terminal has. */
export function sizeLine({ columns, rows }: WindowSize): string {
  for (const count of [columns, rows]) {
    if (Number.isInteger(count) && count >= 1 && count <= 65_535) continue;
    throw new CofferdamError("USAGE", `a terminal can't be ${columns} columns wide and ${rows} rows high`, {
      hint: "write whole numbers from 1 to 65535",
    });
  }
  return `${rows} ${columns}\n`;
}
