import { readSync } from "node:fs";
import type { OpenInode } from "./descriptor.ts";

/** One line of a text, without its end. `isCut` if the line is longer. */
export interface TextLine {
  readonly text: string;
  readonly isCut: boolean;
}

/** The error for a file that is not text: a NUL near its beginning, or bytes that are not UTF-8. */
export class NoText extends Error {
  override readonly name = "NoText";
}

const NEWLINE = 10;
const CHUNK_BYTES = 256 * 1024;
/** The first bytes in which a NUL is looked for. */
const HEAD_BYTES = 8 * 1024;
/** Maximum of UTF-16 units kept of a line. */
const MAX_LINE = 64 * 1024;
/** Enough bytes for `MAX_LINE` units. */
const MAX_KEPT = 4 * MAX_LINE;

/** The lines of a text, by chunks, so that neither a long file nor a long line is held whole. Throws `NoText`. */
export function* linesOf(file: OpenInode): Generator<TextLine> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let kept = Buffer.alloc(0);
  for (let offset = 0; ; ) {
    const got = readSync(file.fd, chunk, 0, CHUNK_BYTES, offset);
    if (offset === 0 && chunk.subarray(0, Math.min(got, HEAD_BYTES)).includes(0)) throw new NoText();
    if (got === 0) break;
    offset += got;
    const end = chunk.subarray(0, got).lastIndexOf(NEWLINE);
    if (end === -1) {
      if (kept.length < MAX_KEPT) kept = Buffer.concat([kept, chunk.subarray(0, got)]);
      continue;
    }
    yield* split(kept, chunk.subarray(0, end), utf8);
    kept = Buffer.from(chunk.subarray(end + 1, got));
  }
  if (kept.length > 0) yield* split(kept, Buffer.alloc(0), utf8);
}

function* split(kept: Buffer, rest: Buffer, utf8: TextDecoder): Generator<TextLine> {
  const isLong = kept.length >= MAX_KEPT;
  if (isLong) yield lineFrom(decode(utf8, wholeCharacters(kept)));
  // The rest of the long line was in earlier chunks or is at the beginning of this one.
  const from = isLong ? rest.indexOf(NEWLINE) + 1 : 0;
  if (isLong && from === 0) return;
  const block = isLong ? rest.subarray(from) : kept.length === 0 ? rest : Buffer.concat([kept, rest]);
  for (const text of decode(utf8, block).split("\n")) yield lineFrom(text);
}

function decode(utf8: TextDecoder, bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new NoText();
  }
}

/** The bytes without a possibly incomplete character at their end. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, Math.max(0, (bytes[end - 1] ?? 0) < 0x80 ? bytes.length : end - 1));
}

function lineFrom(text: string): TextLine {
  if (text.length > MAX_LINE) return { text: text.slice(0, MAX_LINE), isCut: true };
  return { text: text.endsWith("\r") ? text.slice(0, -1) : text, isCut: false };
}
