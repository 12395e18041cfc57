/** Where the bytes for one subscriber go. */
export interface Outlet {
  /** False once more waits to be sent than should; then nothing is written until there is room. */
  readonly hasRoom: boolean;
  write(bytes: Uint8Array): void;
  /** Lets what was written be sent, and then ends. */
  end(): void;
  /** Ends at once; what was not sent is dropped, and so is the connection. */
  cut(): void;
}

/** What an outlet tells its subscriber. */
export interface OutletEvents {
  readonly onRoom: () => void;
  /** Whoever read has gone. */
  readonly onGone: () => void;
}

/** So much waits at the most behind what the connection itself holds. */
const MOST_WAITING = 64 * 1024;

/** An outlet, and the body of the answer that it fills. `destroy` ends the connection, where it is known. */
export function bodyOutlet(
  { onRoom, onGone }: OutletEvents,
  destroy: (() => void) | null,
): { readonly outlet: Outlet; readonly body: ReadableStream<Uint8Array> } {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (made) => {
        controller = made;
      },
      pull: onRoom,
      cancel: () => {
        controller = null;
        onGone();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
  );
  const release = (): ReadableStreamDefaultController<Uint8Array> | null => {
    const held = controller;
    controller = null;
    return held;
  };
  const outlet: Outlet = {
    get hasRoom() {
      return (controller?.desiredSize ?? 0) > 0;
    },
    write: (bytes) => controller?.enqueue(bytes),
    end: () => release()?.close(),
    cut: () => {
      const held = release();
      // A connection that is known is ended by itself: an error in the body would be told as one of the server's.
      if (destroy === null) held?.error(new DOMException("it was too slow", "AbortError"));
      else destroy();
    },
  };
  return { outlet, body };
}
