/** The most bytes of one message. */
export const MOST_OF_A_MESSAGE = 16 * 1024 ** 2;

/** One line as it came: its text, or why it has none. */
export type Line =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-long" }
  | { readonly kind: "not-utf8" };

/**
 * Bytes taken apart into lines, which end with a line feed and hold no other one; a carriage return before it does not
 * count, and neither do blank lines. No more than one line is ever held: of one that is too long the rest is left out, and
 * it is told once. What comes behind the last line feed is no line.
 */
export class LineReader {
  readonly #most: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #parts: Buffer[] = [];
  #length = 0;
  #isTooLong = false;

  constructor(mostBytes = MOST_OF_A_MESSAGE) {
    this.#most = mostBytes;
  }

  /** What a chunk brings to its end. */
  take(chunk: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, end), lines);
      const line = this.#end();
      if (line !== null) lines.push(line);
      from = end + 1;
    }
    this.#add(chunk.subarray(from), lines);
    return lines;
  }

  #add(part: Buffer, lines: Line[]): void {
    if (this.#isTooLong || part.length === 0) return;
    this.#length += part.length;
    if (this.#length <= this.#most) {
      this.#parts.push(Buffer.from(part));
      return;
    }
    this.#isTooLong = true;
    this.#parts = [];
    lines.push({ kind: "too-long" });
  }

  #end(): Line | null {
    const bytes = Buffer.concat(this.#parts);
    const wasTold = this.#isTooLong;
    this.#parts = [];
    this.#length = 0;
    this.#isTooLong = false;
    if (wasTold) return null;
    try {
      const text = this.#decoder.decode(bytes);
      return text.trim() === "" ? null : { kind: "text", text };
    } catch {
      return { kind: "not-utf8" };
    }
  }
}
