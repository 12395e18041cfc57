import type { Socket } from "node:net";

/** The captured part of one stream: its start up to the maximum, the size of the rest, and the end of the rest. */
export interface Captured {
  /** Empty if it was handed on as it came; else at most `limits.output`, by default 64 MiB. */
  readonly bytes: Buffer;
  /** Number of bytes that were kept or handed on. */
  readonly takenBytes: number;
  /** Number of bytes that were read, but neither kept nor handed on. */
  readonly droppedBytes: number;
  /** The last of the dropped bytes, at most 16 KiB: the end is often what matters. */
  readonly tail: Buffer;
}

/** Maximum of bytes of a stream kept in memory without a limit. */
export const MAX_KEPT = 64 * 1024 ** 2;

/** Takes a chunk of output as it comes; its result is waited for, so that a slow reader slows the tool. */
export type OutputSink = (chunk: Buffer) => void | Promise<void>;

/** Bytes in one piece of memory: single chunks would take more than they hold, if a program writes bytes one by one. */
export class Kept {
  #memory = Buffer.alloc(0);
  #length = 0;

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#memory.length, 1024));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    chunk.copy(this.#memory, this.#length);
    this.#length = length;
  }

  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }
}

/** Maximum of bytes kept of the end of a stream. */
const MAX_TAIL_LENGTH = 16 * 1024;

/** The last bytes of a stream. */
export class Tail {
  readonly #memory = Buffer.allocUnsafe(2 * MAX_TAIL_LENGTH);
  #length = 0;

  add(chunk: Buffer): void {
    const part = chunk.subarray(Math.max(0, chunk.length - MAX_TAIL_LENGTH));
    if (this.#length + part.length > this.#memory.length) {
      const kept = this.bytes();
      kept.copy(this.#memory);
      this.#length = kept.length;
    }
    part.copy(this.#memory, this.#length);
    this.#length += part.length;
  }

  bytes(): Buffer {
    return this.#memory.subarray(Math.max(0, this.#length - MAX_TAIL_LENGTH), this.#length);
  }
}

/** Takes chunks that are not the program's, which count for nothing; false for the program's. */
export type Aside = (chunk: Buffer) => boolean;

/** Reads a stream to its end. The first `maxBytes` are kept or handed on, the rest is counted: no writer is blocked. */
export class Capture {
  readonly stream: Socket;
  /** Rejects with the sink's error. */
  readonly captured: Promise<Captured>;
  #isCut = false;
  #giveUp = (): void => undefined;

  constructor(stream: Socket, maxBytes: number, sink: OutputSink | null, aside: Aside = NOTHING_ASIDE) {
    this.stream = stream;
    this.captured = this.#read(maxBytes, sink, aside);
    // The caller of `captured` gets the error; there may be none yet.
    this.captured.catch(() => undefined);
  }

  /** From here on no sink is waited for, or called: the rest is read and counted. */
  cut(): void {
    this.#isCut = true;
    this.#giveUp();
  }

  async #read(maxBytes: number, sink: OutputSink | null, aside: Aside): Promise<Captured> {
    const kept = new Kept();
    let takenBytes = 0;
    let droppedBytes = 0;
    let tail: Tail | null = null;
    try {
      for await (const chunk of this.stream) {
        const whole = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
        if (aside(whole)) continue;
        const part = whole.subarray(0, this.#isCut ? 0 : Math.max(0, maxBytes - takenBytes));
        takenBytes += part.length;
        droppedBytes += whole.length - part.length;
        if (part.length < whole.length) {
          tail ??= new Tail();
          tail.add(whole.subarray(part.length));
        }
        if (part.length === 0) continue;
        if (sink === null) kept.add(part);
        else await this.#untilTaken(sink(part));
      }
    } catch (cause) {
      if (!isClosed(cause)) throw cause;
    }
    return { bytes: kept.bytes(), takenBytes, droppedBytes, tail: tail?.bytes() ?? NO_BYTES };
  }

  #untilTaken(taken: void | Promise<void>): void | Promise<void> {
    if (taken === undefined) return;
    return new Promise((resolve, reject) => {
      this.#giveUp = resolve;
      taken.then(resolve, reject);
    });
  }
}

const NO_BYTES = Buffer.alloc(0);
const NOTHING_ASIDE: Aside = () => false;

/** True for a stream that was destroyed while it was read: for its reader it has ended. */
function isClosed(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    (cause.code === "ERR_STREAM_PREMATURE_CLOSE" || cause.code === "ECONNRESET")
  );
}
