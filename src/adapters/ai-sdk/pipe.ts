/** So much is held for somebody who does not read it yet, in bytes: what a pipe of the kernel holds. */
const PIPE_BYTES = 64 * 1024;

/** Bytes on their way between a program and whoever started it, no faster than they are read. */
export class Pipe {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;

  constructor() {
    const holds = new ByteLengthQueuingStrategy({ highWaterMark: PIPE_BYTES });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({}, holds);
    this.readable = readable;
    this.writable = writable;
  }

  /** What a program writes into it: how a chunk is put, and how it ends. What nobody wants to read any more is let go. */
  source(): {
    readonly put: (chunk: Buffer) => Promise<void>;
    readonly end: () => void;
    readonly fail: (cause: unknown) => void;
  } {
    const writer = this.writable.getWriter();
    writer.closed.catch(nothing);
    return {
      put: async (chunk) => {
        writer.write(Uint8Array.from(chunk)).catch(nothing);
        await writer.ready.catch(nothing);
      },
      end: () => {
        writer.close().catch(nothing);
      },
      fail: (cause) => {
        writer.abort(cause).catch(nothing);
      },
    };
  }

  /** What a program reads from it: its chunks, until they end or nobody reads on. */
  drain(): { readonly chunks: AsyncIterable<Uint8Array>; readonly stop: () => void } {
    const reader = this.readable.getReader();
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    }
    return {
      chunks: chunks(),
      stop: () => {
        reader.cancel("the program has ended").catch(nothing);
      },
    };
  }
}

function nothing(): void {
  // Whoever is at the other end has gone.
}
