import { Transform, type TransformCallback } from "node:stream";
import { type Line, LineReader } from "./wrap/lines.ts";

/** The most bytes of one message to our own server. */
const MAX_MESSAGE_BYTES = 10 * 1024 ** 2;
/** So many values may stand in one, and so deep: the SDK checks each on its own, and everything else waits. */
const MAX_VALUES = 30_000;
const MAX_DEPTH = 256;

/** Why a message to our own server is refused; null where it is not. */
export function whyRefused(text: string): string | null {
  const cost = tooMuch(text);
  return cost === null ? null : `the message is too much to be read: ${cost}`;
}

/** The refusal of a message (https://www.jsonrpc.org/specification#error_object). */
export function refusal(id: string | number | null, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message } });
}

/** Lets messages through, one on a line; `refuse` is told the answer to what is too much to be read. */
export class BoundedMessages extends Transform {
  readonly #lines = new LineReader(MAX_MESSAGE_BYTES);
  readonly #refuse: (answer: string) => void;

  constructor(refuse: (answer: string) => void) {
    super();
    this.#refuse = refuse;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    for (const line of this.#lines.take(chunk)) this.#pass(line);
    done();
  }

  #pass(line: Line): void {
    if (line.kind !== "text") {
      const why = line.kind === "too-long" ? `is longer than ${MAX_MESSAGE_BYTES} bytes` : "is no UTF-8";
      this.#refuse(refusal(null, `the message ${why}`));
      return;
    }
    const why = whyRefused(line.text);
    if (why === null) this.push(`${line.text}\n`);
    else this.#refuse(refusal(idOf(line.text), why));
  }
}

/** The id of a message, so that its sender knows which one was refused; null where it is not told as clients tell it. */
function idOf(text: string): string | number | null {
  const [, digits, name] = ID.exec(text.slice(0, NEAR)) ?? ID_AT_END.exec(text.slice(-NEAR)) ?? [];
  return digits === undefined ? (name ?? null) : Number(digits);
}

/** Clients write it before all else that is long, or behind it. */
const NEAR = 256;
const ID =
  /^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*"id"\s*:\s*(?:(\d{1,15})|"([^"\\]*)")\s*,/;
const ID_AT_END =
  /,\s*"id"\s*:\s*(?:(\d{1,15})|"([^"\\]*)")\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$/;

/**
 * Why a JSON text would cost too much to be read; null where it would not. Looks at no more than the marks between values, so
 * that it takes next to nothing itself, and says nothing of whether it is JSON.
 */
function tooMuch(text: string): string | null {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = textEnd(text, at);
        break;
      case BRACKET:
      case BRACE:
        depth += 1;
        values += 1;
        break;
      case BRACKET_END:
      case BRACE_END:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
    }
    if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH}`;
    if (values > MAX_VALUES) return `it holds more than ${MAX_VALUES} values`;
  }
  return null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** Where the text in quotes that begins here ends, or all does. */
function textEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
