import { Duplex, Readable, Writable } from "node:stream";
import { GATE_NAME } from "../backend/gate-name.ts";
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
 * What a gate's shell says where it can't start the program: one line at the very beginning, before which nothing was
 * said. A program that begins with the same word loses that line, and nothing else.
 */
export class GateWord {
  #state: "beginning" | "gate" | "program" = "beginning";
  readonly #said = new Tail();

  /** Takes the line, so that nobody reads it as the program's. */
  readonly aside: Aside = (chunk) => {
    if (this.#state === "beginning") this.#state = chunk.indexOf(`${GATE_NAME}: `) === 0 ? "gate" : "program";
    if (this.#state === "program") return false;
    this.#said.add(chunk);
    if (chunk.includes("\n")) this.#state = "program";
    return true;
  };

  /** Why the program was not started, in the words of the C library (strerror(3)); null where it was. */
  reason(): string | null {
    const line = this.#said.bytes().toString("utf8").trim();
    return line === "" ? null : line.slice(line.lastIndexOf(": ") + 2);
  }
}

/**
 * Standard error, which speaks with two voices: until the gate opens it is the launcher's, afterwards the program's.
 */
export class TwoVoices {
  readonly #setup = new Tail();
  readonly #gate: GateWord;
  #isOpen = false;

  constructor(gate: GateWord) {
    this.#gate = gate;
  }

  /** Where what the launcher says goes, of which the end is kept, whatever the program's output may be. */
  readonly aside: Aside = (chunk) => {
    if (this.#isOpen) return this.#gate.aside(chunk);
    this.#setup.add(chunk);
    return true;
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
