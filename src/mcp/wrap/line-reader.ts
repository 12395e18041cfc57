const MAX_LINE_BYTES = 8 * 1024 ** 2;
/** Minimum size of the line buffer, and maximum size that is kept for the next line, in bytes. */
const MIN_BUFFER = 16 * 1024;
const MAX_KEPT_BUFFER = 1024 ** 2;

/** One line as it was received. A text that is not UTF-8 has replacement characters. */
export type WireLine =
  | { readonly kind: "text" | "not-utf8"; readonly text: string }
  | { readonly kind: "too-long" };

/**
 * Splits bytes into lines that end with a line feed. Drops a carriage return before it, blank lines, and bytes after
 * the last line feed. At most one line is held. The rest of a line that is too long is dropped and reported once.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** Starts with the current line. It grows, so that many small chunks take no more space than a large one. */
  #buffer = Buffer.allocUnsafe(0);
  #length = 0;
  #isTooLong = false;

  constructor(maxBytes = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that a chunk completes. */
  read(chunk: Buffer): readonly WireLine[] {
    const lines: WireLine[] = [];
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

  #add(part: Buffer, lines: WireLine[]): void {
    if (this.#isTooLong || part.length === 0) return;
    this.#length += part.length;
    if (this.#length <= this.#maxBytes) {
      this.#append(part);
      return;
    }
    this.#isTooLong = true;
    this.#buffer = Buffer.allocUnsafe(0);
    lines.push({ kind: "too-long" });
  }

  /** Copies a part after the previous ones; `#length` already includes it. */
  #append(part: Buffer): void {
    const before = this.#length - part.length;
    if (this.#length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#length, MIN_BUFFER));
      this.#buffer.copy(grown, 0, 0, before);
      this.#buffer = grown;
    }
    part.copy(this.#buffer, before);
  }

  #end(): WireLine | null {
    const bytes = this.#buffer.subarray(0, this.#isTooLong ? 0 : this.#length);
    const wasReported = this.#isTooLong;
    if (this.#buffer.length > MAX_KEPT_BUFFER) this.#buffer = Buffer.allocUnsafe(0);
    this.#length = 0;
    this.#isTooLong = false;
    if (wasReported) return null;
    try {
      const text = this.#decoder.decode(bytes);
      return text.trim() === "" ? null : { kind: "text", text };
    } catch {
      return { kind: "not-utf8", text: bytes.toString() };
    }
  }
}
