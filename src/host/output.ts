import type { Socket } from "node:net";

/** What was captured of one stream: its start, as far as it was to be taken, how much more there was, and the end of that. */
export interface Captured {
  /** Empty when it was handed on as it came; else at most `limits.output`, or 64 MiB where that says nothing. */
  readonly bytes: Buffer;
  /** What was kept or handed on. */
  readonly takenBytes: number;
  /** What was read and neither kept nor handed on. */
  readonly droppedBytes: number;
  /** The last of what was dropped, at most 16 KiB: how it ended is often what matters. */
  readonly tail: Buffer;
}

/** How much of a stream is kept in memory where no limit says how much. */
export const MOST_KEPT = 64 * 1024 ** 2;

/** Where a chunk of output goes as it comes; what it returns is waited for, so that a slow reader slows the tool. */
export type OutputSink = (chunk: Buffer) => void | Promise<void>;

/**
 * Bytes in one piece of memory: each chunk by itself would take more than it holds, when a program writes bytes one
 * by one.
 */
export class Kept {
  #memory = Buffer.alloc(0);
  #length = 0;

  /** Takes what comes, a copy of it. */
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

  /** All that was taken. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }
}

/** So much of the end of a stream is kept. */
const MOST_OF_A_TAIL = 16 * 1024;

/** The last bytes of what comes. */
export class Tail {
  readonly #memory = Buffer.allocUnsafe(2 * MOST_OF_A_TAIL);
  #length = 0;

  add(chunk: Buffer): void {
    const part = chunk.subarray(Math.max(0, chunk.length - MOST_OF_A_TAIL));
    if (this.#length + part.length > this.#memory.length) {
      const kept = this.bytes();
      kept.copy(this.#memory);
      this.#length = kept.length;
    }
    part.copy(this.#memory, this.#length);
    this.#length += part.length;
  }

  bytes(): Buffer {
    return this.#memory.subarray(Math.max(0, this.#length - MOST_OF_A_TAIL), this.#length);
  }
}

/** Takes what is another's than the program's, which counts for nothing; false for what is the program's. */
export type Aside = (chunk: Buffer) => boolean;

/**
 * Reads a stream to its end. The first `maxBytes` are kept, or handed on; the rest is read and counted, so that the
 * process neither blocks nor fills memory.
 */
export class Capture {
  readonly stream: Socket;
  /** Rejects with what the sink throws. */
  readonly captured: Promise<Captured>;
  #isCut = false;
  #giveUp = (): void => undefined;

  constructor(stream: Socket, maxBytes: number, sink: OutputSink | null, aside: Aside = NOTHING_ASIDE) {
    this.stream = stream;
    this.captured = this.#read(maxBytes, sink, aside);
    // Whoever waits for it is told; nobody may be waiting yet.
    this.captured.catch(() => undefined);
  }

  /** From here on no sink is waited for, and none is handed anything: the rest is read and counted. */
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

/** A stream that is destroyed while it is read has ended, as far as its reader is concerned. */
function isClosed(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    (cause.code === "ERR_STREAM_PREMATURE_CLOSE" || cause.code === "ECONNRESET")
  );
}
