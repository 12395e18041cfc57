/** Bytes buffered for a slow reader: the size of a kernel pipe. */
const PIPE_BYTES = 64 * 1024;

/** Bytes between a program and its caller, no faster than they are read. */
export class Pipe {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;

  constructor() {
    const holds = new ByteLengthQueuingStrategy({ highWaterMark: PIPE_BYTES });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({}, holds);
    this.readable = readable;
    this.writable = writable;
  }

  /** The writing end for a program's output. Output without a reader is discarded. */
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

  /** The reading end for a program's input: chunks until it ends or `stop` is called. */
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
  // The other end is closed.
}
