import { StringDecoder } from "node:string_decoder";
import { escapeInvisible } from "../../errors.ts";

/** More of one line nobody reads. */
const MOST_OF_A_LINE = 2_000;
/** So much is told in one stretch of time, and how long that is, in milliseconds. */
const MOST_IN_A_WHILE = 64 * 1024;
const WHILE_MS = 60_000;

/**
 * What a server says beside the protocol, for a person: line by line, behind its name, made visible, and no more in a minute
 * than somebody could read.
 */
export class ServerTalk {
  readonly #server: string;
  readonly #talk: (line: string) => void;
  readonly #now: () => number;
  readonly #decoder = new StringDecoder("utf8");
  #line = "";
  #since = Number.NEGATIVE_INFINITY;
  #told = 0;
  #left = 0;

  constructor(server: string, talk: (line: string) => void, now: () => number) {
    this.#server = server;
    this.#talk = talk;
    this.#now = now;
  }

  take(chunk: Buffer): void {
    const parts = this.#decoder.write(chunk).split("\n");
    for (const [index, part] of parts.entries()) {
      if (index > 0) this.#end();
      if (this.#line.length <= MOST_OF_A_LINE) this.#line += part.slice(0, MOST_OF_A_LINE + 1);
    }
  }

  /** The last of it, which has no line break behind it. */
  end(): void {
    this.#end();
    this.#tellLeft();
  }

  #end(): void {
    const line = this.#line.replace(/\r$/, "");
    this.#line = "";
    if (line === "") return;
    if (this.#now() - this.#since > WHILE_MS) {
      this.#tellLeft();
      this.#since = this.#now();
      this.#told = 0;
    }
    if (this.#told > MOST_IN_A_WHILE) this.#left += 1;
    else {
      this.#told += line.length;
      const cut = line.length > MOST_OF_A_LINE ? "…" : "";
      this.#talk(`${this.#server}: ${escapeInvisible(line.slice(0, MOST_OF_A_LINE))}${cut}`);
    }
  }

  #tellLeft(): void {
    if (this.#left > 0) this.#talk(`${this.#server}: … ${this.#left} more lines came too fast to be shown`);
    this.#left = 0;
  }
}
