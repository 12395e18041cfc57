const MAX_QUEUED_EVENTS = 2_000;

/**
 * The events queued for one client: at most 2,000 events and `maxBytes`, or one larger event. A slow client also costs
 * the event that its connection is writing, and the kernel's buffers.
 */
export class ClientQueue {
  /** The response body, through which the client reads the queue. */
  readonly body: ReadableStream<Uint8Array>;
  readonly #maxBytes: number;
  readonly #sizeOf: (bytes: Uint8Array) => number;
  readonly #destroy: (() => void) | null;
  readonly #closed = new AbortController();
  /** Null once the queue is closed. */
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #added = 0;
  #onEmpty = (): void => undefined;

  /** `first` is sent before all events and does not count. `destroy` ends the connection, if it is known. */
  constructor(maxBytes: number, first: Uint8Array, destroy: (() => void) | null) {
    this.#maxBytes = maxBytes;
    this.#destroy = destroy;
    // A small event counts as a larger one, so that the maximum of bytes limits their number too.
    const minSize = Math.ceil(maxBytes / MAX_QUEUED_EVENTS);
    this.#sizeOf = (bytes) => (bytes === first ? 0 : Math.max(bytes.length, minSize));
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          controller.enqueue(first);
        },
        pull: () => {
          if (this.isEmpty) this.#onEmpty();
        },
        cancel: () => void this.#close(),
      },
      { highWaterMark: maxBytes, size: this.#sizeOf },
    );
  }

  /** Aborted once the client has left or was cut off, or the stream has ended. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get isEmpty(): boolean {
    return this.#room === this.#maxBytes;
  }

  get isHalfFull(): boolean {
    return this.#room < this.#maxBytes / 2;
  }

  /** Grows with every read of the client. */
  get readSoFar(): number {
    return this.#added + this.#room;
  }

  /** Adds an event. Cuts the client off if the queue is full. */
  add(bytes: Uint8Array): void {
    const size = this.#sizeOf(bytes);
    if (size > this.#room && !this.isEmpty) this.cut();
    this.#controller?.enqueue(bytes);
    this.#added += size;
  }

  /** Resolves when the client has read everything, or the queue is closed. */
  async emptied(): Promise<void> {
    if (this.isEmpty || this.closed.aborted) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  end(): void {
    this.#close()?.close();
  }

  /** Ends the connection of a client that is too slow, and drops the queued events. */
  cut(): void {
    const controller = this.#close();
    // An error in the body of a known connection would be reported as an error of the server.
    if (controller !== null && this.#destroy !== null) this.#destroy();
    else controller?.error(new DOMException("the client was too slow", "AbortError"));
  }

  get #room(): number {
    return this.#controller?.desiredSize ?? 0;
  }

  #close(): ReadableStreamDefaultController<Uint8Array> | null {
    const controller = this.#controller;
    this.#controller = null;
    this.#closed.abort();
    this.#onEmpty();
    return controller;
  }
}
