import { Duplex, Readable, Writable } from "node:stream";
import { START_NAME } from "../../backend/start-program-name.ts";
import { CofferdamError } from "../../errors.ts";
import { type Aside, Tail } from "./output.ts";
import type { LauncherChild } from "./spawn.ts";

/** The child's descriptor as a stream to read. */
export function readableAt(child: LauncherChild, fd: number): Readable {
  const stream = child.stdio[fd];
  if (stream instanceof Readable) return stream;
  throw new CofferdamError("INTERNAL", `descriptor ${fd} of the launcher can't be read`);
}

/** The child's descriptor as a stream to write; errors after the launcher's early end are seen by that end. */
export function writableAt(child: LauncherChild, fd: number): Writable {
  const stream = child.stdio[fd];
  if (!(stream instanceof Writable || stream instanceof Duplex))
    throw new CofferdamError("INTERNAL", `descriptor ${fd} of the launcher can't be written`);
  if (stream.listenerCount("error") === 0) stream.on("error", () => undefined);
  return stream;
}

/** The first character that comes, or null if the stream ends without one. */
export function firstByte(stream: Readable): Promise<string | null> {
  return new Promise((resolve) => {
    stream.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1", 0, 1)));
    stream.once("end", () => resolve(null));
    stream.once("error", () => resolve(null));
  });
}

/** A start program's line that the program can't start. A program whose output begins with that word loses it. */
export class StartError {
  #state: "beginning" | "start" | "program" = "beginning";
  readonly #said = new Tail();

  /** Takes the line, so that it does not count as the program's. */
  readonly aside: Aside = (chunk) => {
    if (this.#state === "beginning")
      this.#state = chunk.indexOf(`${START_NAME}: `) === 0 ? "start" : "program";
    if (this.#state === "program") return false;
    this.#said.add(chunk);
    if (chunk.includes("\n")) this.#state = "program";
    return true;
  };

  reason(): string | null {
    const line = this.#said.bytes().toString("utf8").trim();
    return line === "" ? null : line.slice(line.lastIndexOf(": ") + 2);
  }
}

/** Standard error of two writers: the launcher's until the program may start, afterwards the program's. */
export class TwoVoices {
  readonly #setup = new Tail();
  readonly #startError: StartError;
  #isOpen = false;

  constructor(startError: StartError) {
    this.#startError = startError;
  }

  /** Takes the launcher's output, of which the end is kept, regardless of the program's. */
  readonly aside: Aside = (chunk) => {
    if (this.#isOpen) return this.#startError.aside(chunk);
    this.#setup.add(chunk);
    return true;
  };

  open(): void {
    this.#isOpen = true;
  }

  setupText(): string {
    return this.#setup.bytes().toString("utf8");
  }
}
