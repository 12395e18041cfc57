import { newlinesIn } from "../policy/newlines.ts";

/** What is held of a text at the most, and a line to say what is not: together a MiB. */
export const MOST_BYTES = 1024 ** 2 - 256;
/** A text is cut between lines where the last line held is at most this long: a secret cut in half looks like none. */
const LONGEST_LINE = 64 * 1024;

const NEWLINE = 10;

/** How much of a text is not there: lines of which something is missing, and bytes of UTF-8. */
export interface Rest {
  readonly lines: number;
  readonly bytes: number;
}

/** The beginning of a text, not quite a MiB of UTF-8, and what follows it. */
export interface Head {
  readonly text: string;
  readonly rest: Rest;
}

/** Nothing follows. */
export const NO_REST: Rest = { lines: 0, bytes: 0 };

/** The head of a text, or of bytes that are valid UTF-8. `rest` is what follows the text already. */
export function headOf(text: string | Uint8Array, rest: Rest = NO_REST): Head {
  const end = typeof text === "string" ? endInText(text) : endInBytes(text);
  const isWhole = end === text.length;
  if (isWhole) return { text: decoded(text), rest };
  const after = typeof text === "string" ? text.slice(end) : text.subarray(end);
  const kept = typeof text === "string" ? ownText(text.slice(0, end)) : decoded(text.subarray(0, end));
  // Where more follows, its first line is the one that this text ends in.
  const lines = rest.bytes === 0 ? linesOf(after) : newlinesIn(after) + rest.lines;
  return { text: kept, rest: { lines, bytes: byteLength(after) + rest.bytes } };
}

/** How many lines a text has; what follows the last newline is one, if there is something. */
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
  if (text.length * 3 <= MOST_BYTES) return text.length;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MOST_BYTES));
  if (read === text.length) return read;
  return betweenLines(read, text.lastIndexOf("\n", read - 1));
}

function endInBytes(bytes: Uint8Array): number {
  if (bytes.length <= MOST_BYTES) return bytes.length;
  let end = MOST_BYTES;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return betweenLines(end, bytes.lastIndexOf(NEWLINE, end - 1));
}

function betweenLines(end: number, newline: number): number {
  return newline === -1 || end - newline > LONGEST_LINE ? end : newline + 1;
}

/** The same text, without holding on to the longer one that it is a slice of. */
function ownText(slice: string): string {
  return Buffer.from(slice, "utf16le").toString("utf16le");
}
