import { Duplex, Readable, Writable } from "node:stream";
import { CofferdamError } from "../errors.ts";
import { type Aside, Tail } from "./output.ts";
import type { Child } from "./spawn.ts";

/** The child's descriptor as a stream to read. */
export function readableAt(child: Child, fd: number): Readable {
  const stream = child.stdio[fd];
  if (stream instanceof Readable) return stream;
  throw new CofferdamError("INTERNAL", `descriptor ${fd} of the launcher can't be read`);
}

/** The child's descriptor as a stream to write; what breaks because the launcher ended early is told by its end. */
export function writableAt(child: Child, fd: number): Writable {
  const stream = child.stdio[fd];
  if (!(stream instanceof Writable || stream instanceof Duplex))
    throw new CofferdamError("INTERNAL", `descriptor ${fd} of the launcher can't be written`);
  if (stream.listenerCount("error") === 0) stream.on("error", () => undefined);
  return stream;
}

/** The first character that comes, or null when the stream ends without one. */
export function firstByte(stream: Readable): Promise<string | null> {
  return new Promise((resolve) => {
    stream.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1", 0, 1)));
    stream.once("end", () => resolve(null));
    stream.once("error", () => resolve(null));
  });
}

/**
 * Standard error, which speaks with two voices: until the gate opens it is the launcher's, afterwards the program's.
 */
export class TwoVoices {
  readonly #setup = new Tail();
  #isOpen = false;

  /** Where what the launcher says goes, of which the end is kept, whatever the program's output may be. */
  readonly aside: Aside = (chunk) => {
    if (!this.#isOpen) this.#setup.add(chunk);
    return !this.#isOpen;
  };

  /** From here on it is the program that speaks. */
  open(): void {
    this.#isOpen = true;
  }

  /** What the launcher said, the end of it. */
  setupText(): string {
    return this.#setup.bytes().toString("utf8");
  }
}
