import type { Socket } from "node:net";

/** Reads a stream by byte counts; bytes that were not taken can be put back. */
export class ByteReader {
  readonly #from: Socket;
  #held: Buffer = Buffer.alloc(0);

  constructor(from: Socket) {
    this.#from = from;
  }

  /** Takes the next `length` bytes. Rejects if the stream ends before. */
  async take(length: number): Promise<Buffer> {
    while (this.#held.length < length) {
      if (!(await this.more())) throw new Error("the data ended too early");
    }
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  /** The next `length` bytes, without taking them; null if the stream ends before. */
  async peek(length: number): Promise<Buffer | null> {
    while (this.#held.length < length) if (!(await this.more())) return null;
    return this.#held.subarray(0, length);
  }

  get held(): Buffer {
    return this.#held;
  }

  /**
   * Waits for more bytes; false if none will come. Reads everything: else the stream reports the rest again and again.
   */
  async more(): Promise<boolean> {
    for (;;) {
      const chunk: unknown = this.#from.read();
      if (Buffer.isBuffer(chunk)) {
        this.#held = Buffer.concat([this.#held, chunk]);
        return true;
      }
      if (this.#from.readableEnded || this.#from.destroyed) return false;
      await changed(this.#from);
    }
  }

  putBack(): void {
    if (this.#held.length > 0 && !this.#from.destroyed) this.#from.unshift(this.#held);
    this.#held = Buffer.alloc(0);
  }
}

const EVENTS = ["readable", "end", "close"] as const;

function changed(stream: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      for (const event of EVENTS) stream.off(event, go);
      resolve();
    };
    for (const event of EVENTS) stream.on(event, go);
  });
}
