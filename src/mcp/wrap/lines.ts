/** The most bytes of one message. */
export const MOST_OF_A_MESSAGE = 8 * 1024 ** 2;

/** What is held for a line at least, and what of it is kept for the next one at most. */
const LEAST_HELD = 16 * 1024;
const MOST_KEPT = 1024 ** 2;

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
  /** Holds the line so far at its beginning, and grows with it: many small chunks take no more room than a large one. */
  #held = Buffer.allocUnsafe(0);
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
      this.#hold(part);
      return;
    }
    this.#isTooLong = true;
    this.#held = Buffer.allocUnsafe(0);
    lines.push({ kind: "too-long" });
  }

  /** Copies a part behind the ones before, whose end it is part of already. */
  #hold(part: Buffer): void {
    const before = this.#length - part.length;
    if (this.#length > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(2 * this.#held.length, this.#length, LEAST_HELD));
      this.#held.copy(grown, 0, 0, before);
      this.#held = grown;
    }
    part.copy(this.#held, before);
  }

  #end(): Line | null {
    const bytes = this.#held.subarray(0, this.#isTooLong ? 0 : this.#length);
    const wasTold = this.#isTooLong;
    if (this.#held.length > MOST_KEPT) this.#held = Buffer.allocUnsafe(0);
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
