import { constants, readSync } from "node:fs";
import { openPlainFile } from "../host/look/plain-file.ts";
import type { AbsolutePath } from "../profile/path.ts";

/** A line of a file, without its line break. */
export interface JournalLine {
  readonly bytes: Buffer;
  /** `cut`: it follows the last line break. `too long`: it continues, and nothing after it was read. */
  readonly kind: "whole" | "cut" | "too long";
}

const CHUNK = 256 * 1024;
/** Maximum size of a line: events are smaller, and longer lines are not kept in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const LINE_BREAK = 0x0a;

/** The lines of a plain file at its opening. Throws node's errors, and `ENOENT` for anything but a plain file. */
export function* linesOf(path: AbsolutePath): Generator<JournalLine> {
  using file = openPlainFile(path, constants.O_NOFOLLOW);
  if (file === null) throw Object.assign(new Error(`${path} is not a regular file`), { code: "ENOENT" });
  const { size } = file.stats;
  let pieces: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < size && length <= MAX_BYTES; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - at));
    const read = readSync(file.fd, chunk, 0, chunk.length, at);
    if (read === 0) break;
    at += read;
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_BREAK, from);
      const piece = chunk.subarray(from, end < 0 || end >= read ? read : end);
      pieces.push(piece);
      length += piece.length;
      if (end < 0 || end >= read) break;
      const [only] = pieces;
      yield {
        bytes: pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces),
        kind: "whole",
      };
      pieces = [];
      length = 0;
      from = end + 1;
    }
  }
  if (length > MAX_BYTES) yield { bytes: Buffer.alloc(0), kind: "too long" };
  else if (length > 0) yield { bytes: Buffer.concat(pieces), kind: "cut" };
}
