import type { Socket } from "node:net";

/** What was captured of one stream: at most `maxBytes` from its start, and how much more there was. */
export interface Captured {
  /** Empty when it was handed on as it came. */
  readonly bytes: Buffer;
  /** What was kept or handed on. */
  readonly takenBytes: number;
  readonly droppedBytes: number;
}

/** Where a chunk of output goes as it comes; what it returns is waited for, so that a slow reader slows the tool. */
export type OutputSink = (chunk: Buffer) => void | Promise<void>;

/**
 * Reads a stream to its end. The first `maxBytes` are kept and handed on; the rest is read and counted, so that the
 * process neither blocks nor fills memory.
 */
export class Capture {
  readonly stream: Socket;
  /** Rejects with what the sink throws. */
  readonly captured: Promise<Captured>;
  #isCut = false;
  #giveUp = (): void => undefined;

  constructor(stream: Socket, maxBytes: number, sink: OutputSink | null) {
    this.stream = stream;
    this.captured = this.#read(maxBytes, sink);
    // Whoever waits for it is told; nobody may be waiting yet.
    this.captured.catch(() => undefined);
  }

  /** From here on no sink is waited for, and none is handed anything: the rest is read and counted. */
  cut(): void {
    this.#isCut = true;
    this.#giveUp();
  }

  async #read(maxBytes: number, sink: OutputSink | null): Promise<Captured> {
    const kept: Buffer[] = [];
    let takenBytes = 0;
    let droppedBytes = 0;
    try {
      for await (const chunk of this.stream) {
        const whole = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
        const part = whole.subarray(0, this.#isCut ? 0 : Math.max(0, maxBytes - takenBytes));
        takenBytes += part.length;
        droppedBytes += whole.length - part.length;
        if (part.length === 0) continue;
        if (sink === null) kept.push(part);
        else await this.#untilTaken(sink(part));
      }
    } catch (cause) {
      if (!isClosed(cause)) throw cause;
    }
    return { bytes: Buffer.concat(kept), takenBytes, droppedBytes };
  }

  #untilTaken(taken: void | Promise<void>): void | Promise<void> {
    if (taken === undefined) return;
    return new Promise((resolve, reject) => {
      this.#giveUp = resolve;
      taken.then(resolve, reject);
    });
  }
}

/** A stream that is destroyed while it is read has ended, as far as its reader is concerned. */
function isClosed(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    (cause.code === "ERR_STREAM_PREMATURE_CLOSE" || cause.code === "ECONNRESET")
  );
}
