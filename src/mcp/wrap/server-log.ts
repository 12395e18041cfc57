import { StringDecoder } from "node:string_decoder";
import { escapeInvisible } from "../../errors.ts";

const MAX_LINE_LENGTH = 2_000;
/** Maximum number of characters in one time window, and the window in milliseconds. */
const MAX_IN_WINDOW = 64 * 1024;
const WINDOW_MS = 60_000;

/** A server's stderr, line by line after its name and made visible, at most `MAX_IN_WINDOW` per minute. */
export class ServerLog {
  readonly #server: string;
  readonly #print: (line: string) => void;
  readonly #now: () => number;
  readonly #decoder = new StringDecoder("utf8");
  #line = "";
  #windowStart = Number.NEGATIVE_INFINITY;
  #printed = 0;
  #skipped = 0;

  constructor(server: string, print: (line: string) => void, now: () => number) {
    this.#server = server;
    this.#print = print;
    this.#now = now;
  }

  write(chunk: Buffer): void {
    const parts = this.#decoder.write(chunk).split("\n");
    for (const [index, part] of parts.entries()) {
      if (index > 0) this.#endLine();
      if (this.#line.length <= MAX_LINE_LENGTH) this.#line += part.slice(0, MAX_LINE_LENGTH + 1);
    }
  }

  /** Prints the last line, which has no line break. */
  end(): void {
    this.#endLine();
    this.#printSkipped();
  }

  #endLine(): void {
    const line = this.#line.replace(/\r$/, "");
    this.#line = "";
    if (line === "") return;
    if (this.#now() - this.#windowStart > WINDOW_MS) {
      this.#printSkipped();
      this.#windowStart = this.#now();
      this.#printed = 0;
    }
    if (this.#printed > MAX_IN_WINDOW) {
      this.#skipped += 1;
      return;
    }
    this.#printed += line.length;
    const cut = line.length > MAX_LINE_LENGTH ? "…" : "";
    this.#print(`${this.#server}: ${escapeInvisible(line.slice(0, MAX_LINE_LENGTH))}${cut}`);
  }

  #printSkipped(): void {
    if (this.#skipped > 0) this.#print(`${this.#server}: … ${this.#skipped} lines left out: too much output`);
    this.#skipped = 0;
  }
}
