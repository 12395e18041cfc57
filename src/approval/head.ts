import { newlinesIn } from "../policy/newlines.ts";

/** Maximum kept of a text; with a line about the rest, a MiB. */
export const MAX_BYTES = 1024 ** 2 - 256;
/** A text is cut between lines if the last kept line is at most this long: half of a secret does not look like one. */
const LONGEST_LINE = 64 * 1024;

const NEWLINE = 10;

/** The missing part of a text: incomplete or missing lines, and bytes of UTF-8. */
export interface Rest {
  readonly lines: number;
  readonly bytes: number;
}

/** The beginning of a text, not quite a MiB of UTF-8, and the size of the rest. */
export interface TextHead {
  readonly text: string;
  readonly rest: Rest;
}

/** The rest of a complete text. */
export const NO_REST: Rest = { lines: 0, bytes: 0 };

/** The head of a text, or of bytes that are valid UTF-8. `rest` is the part that is already missing. */
export function headOf(text: string | Uint8Array, rest: Rest = NO_REST): TextHead {
  const end = typeof text === "string" ? endInText(text) : endInBytes(text);
  const isWhole = end === text.length;
  if (isWhole) return { text: decoded(text), rest };
  const after = typeof text === "string" ? text.slice(end) : text.subarray(end);
  const kept = typeof text === "string" ? ownText(text.slice(0, end)) : decoded(text.subarray(0, end));
  // If more follows, its first line continues the last one of this text.
  const lines = rest.bytes === 0 ? linesOf(after) : newlinesIn(after) + rest.lines;
  return { text: kept, rest: { lines, bytes: byteLength(after) + rest.bytes } };
}

/** Number of lines of a text; text after the last newline counts as one. */
export function linesOf(text: string | Uint8Array): number {
  const last = typeof text === "string" ? text.charCodeAt(text.length - 1) : text.at(-1);
  return newlinesIn(text) + (text.length > 0 && last !== NEWLINE ? 1 : 0);
}

/** The size of a text in UTF-8. */
export function byteLength(text: string | Uint8Array): number {
  return typeof text === "string" ? Buffer.byteLength(text) : text.length;
}

/** The text of UTF-8, with its byte order mark if it has one. */
export function decoded(text: string | Uint8Array): string {
  return typeof text === "string" ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
}

function endInText(text: string): number {
  // A UTF-16 unit is at most three bytes, so a text this short needs no counting.
  if (text.length * 3 <= MAX_BYTES) return text.length;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_BYTES));
  if (read === text.length) return read;
  return betweenLines(read, text.lastIndexOf("\n", read - 1));
}

function endInBytes(bytes: Uint8Array): number {
  if (bytes.length <= MAX_BYTES) return bytes.length;
  let end = MAX_BYTES;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return betweenLines(end, bytes.lastIndexOf(NEWLINE, end - 1));
}

function betweenLines(end: number, newline: number): number {
  return newline === -1 || end - newline > LONGEST_LINE ? end : newline + 1;
}

/** A copy of the text that does not keep the longer original in memory. */
function ownText(slice: string): string {
  return Buffer.from(slice, "utf16le").toString("utf16le");
}
