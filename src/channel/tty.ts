import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import { orNull } from "../host/or-null.ts";
import type { TextSize } from "./question-text.ts";

const TERMINAL = "/dev/tty";
/** Assumed size of a terminal that does not know its size. */
const USUAL = { columns: 80, rows: 24 } as const satisfies TextSize;
/** Maximum of 4096-byte reads that discard typed text at once: no person types more. */
const MAX_FORGOTTEN = 64;

/** The controlling terminal of this process, whatever stdin and stdout are. Opened by `openTty`. */
export class Tty {
  readonly input: ReadStream;
  readonly #output: number;
  #isClosed = false;

  constructor(input: ReadStream, output: number) {
    this.input = input;
    // `close` follows and informs the reader.
    input.on("error", () => undefined);
    this.#output = output;
  }

  /** Writes all of a text. Throws if the terminal is gone. */
  write(text: string): void {
    // The number of a closed descriptor may now belong to another file.
    if (this.#isClosed) throw new Error("the terminal was released");
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#output, bytes, at);
  }

  /** Raw mode hands over every key alone, without an echo, and the terminal acts on none. False restores the mode. */
  setRaw(isRaw: boolean): void {
    this.input.setRawMode(isRaw);
  }

  size(): TextSize {
    const fd = openFor(constants.O_WRONLY);
    if (fd === null) return USUAL;
    try {
      const looked = new WriteStream(fd);
      const { columns, rows } = looked;
      closeTwin(looked, fd);
      looked.destroy();
      return { columns: columns > 0 ? columns : USUAL.columns, rows: rows > 0 ? rows : USUAL.rows };
    } catch {
      // A terminal that is gone has no size; the next write reports that.
      return USUAL;
    }
  }

  /** Discards input that was typed but not read. Outside raw mode only ended lines are there. */
  forgetTyped(): void {
    const fd = openFor(constants.O_RDONLY | constants.O_NONBLOCK);
    if (fd === null) return;
    const keys = Buffer.alloc(4096);
    try {
      for (let count = 0; count < MAX_FORGOTTEN && readSync(fd, keys) > 0; count += 1);
    } catch {
      // EAGAIN: nothing is left.
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.input.destroy();
    closeSync(this.#output);
  }
}

/** The terminal, or null if this process has none. */
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
    // A file that cannot be read as a terminal is none.
  }
  closeSync(output);
  return null;
}

/** Closes the given descriptor: a stream on a terminal opens it again under another number (libuv, uv_tty_init). */
function closeTwin(stream: ReadStream | WriteStream, fd: number): void {
  const handle: unknown = Reflect.get(stream, "_handle");
  const own: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : fd;
  if (typeof own === "number" && own >= 0 && own !== fd) closeSync(fd);
}

function openFor(flags: number): number | null {
  return orNull(() => openSync(TERMINAL, flags | constants.O_NOCTTY));
}
