import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import type { Size } from "./question-text.ts";

const TERMINAL = "/dev/tty";
/** What a terminal that does not know its size is taken for. */
const USUAL = { columns: 80, rows: 24 } as const satisfies Size;
/** So much typed text is thrown away at once; whoever types more is no person. */
const MOST_FORGOTTEN = 64;

/** The controlling terminal of this process, whatever stdin and stdout are. Opened by `openTty`. */
export class Tty {
  readonly input: ReadStream;
  readonly #output: number;
  #isClosed = false;

  constructor(input: ReadStream, output: number) {
    this.input = input;
    // Whoever reads is told by `close`, which follows.
    input.on("error", () => undefined);
    this.#output = output;
  }

  /** Writes all of a text. Throws when the terminal is gone. */
  write(text: string): void {
    // The number of a closed descriptor may by now be another file's.
    if (this.#isClosed) throw new Error("the terminal was given back");
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#output, bytes, at);
  }

  /** Hands every key over by itself, unseen, without the terminal acting on any; or what was before. */
  setRaw(isRaw: boolean): void {
    this.input.setRawMode(isRaw);
  }

  /** How large the terminal is now. */
  size(): Size {
    const fd = openFor(constants.O_WRONLY);
    if (fd === null) return USUAL;
    try {
      const looked = new WriteStream(fd);
      const { columns, rows } = looked;
      closeTwin(looked, fd);
      looked.destroy();
      return { columns: columns > 0 ? columns : USUAL.columns, rows: rows > 0 ? rows : USUAL.rows };
    } catch {
      // A terminal that is gone has no size; whoever writes there will learn of it.
      return USUAL;
    }
  }

  /** Throws away what was typed and not yet read. Only what a line has been ended for is there, unless keys are raw. */
  forgetTyped(): void {
    const fd = openFor(constants.O_RDONLY | constants.O_NONBLOCK);
    if (fd === null) return;
    const keys = Buffer.alloc(4096);
    try {
      for (let count = 0; count < MOST_FORGOTTEN && readSync(fd, keys) > 0; count += 1);
    } catch {
      // EAGAIN: nothing is left.
    } finally {
      closeSync(fd);
    }
  }

  /** Gives the terminal back. What was made raw is as before. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.input.destroy();
    closeSync(this.#output);
  }
}

/** The terminal, or null where this process has none. */
export function openTty(): Tty | null {
  const output = openFor(constants.O_WRONLY);
  if (output === null) return null;
  const fd = openFor(constants.O_RDWR);
  try {
    if (fd !== null) {
      const input = new ReadStream(fd);
      closeTwin(input, fd);
      return new Tty(input, output);
    }
  } catch {
    // What can't be read as a terminal is none.
  }
  closeSync(output);
  return null;
}

/**
 * A stream on a terminal opens it once more under another number, and leaves the one that it was given open (libuv,
 * uv_tty_init). Where it did not, the number is the stream's own.
 */
function closeTwin(stream: ReadStream | WriteStream, fd: number): void {
  const handle: unknown = Reflect.get(stream, "_handle");
  const own: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : fd;
  if (typeof own === "number" && own >= 0 && own !== fd) closeSync(fd);
}

function openFor(flags: number): number | null {
  try {
    return openSync(TERMINAL, flags | constants.O_NOCTTY);
  } catch {
    return null;
  }
}
