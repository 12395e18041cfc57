import { constants, readSync } from "node:fs";
import { openPlainFile } from "../host/plain-file.ts";
import type { AbsolutePath } from "../profile/path.ts";

/** A line of a file, without its line break. */
export interface Line {
  readonly bytes: Buffer;
  /** `cut`: it stands behind the last line break. `too long`: it goes on, and nothing behind it was read. */
  readonly kind: "whole" | "cut" | "too long";
}

const CHUNK = 256 * 1024;
/** Events are bounded below that; what is longer is none, and is not kept in memory. */
const MOST_BYTES = 64 * 1024 * 1024;
const LINE_BREAK = 0x0a;

/**
 * The lines of a plain file, as many as it had when it was opened: what is appended meanwhile is left out. Throws node's errors, and `ENOENT` for what is no plain file any more.
 */
export function* linesOf(path: AbsolutePath): Generator<Line> {
  using file = openPlainFile(path, constants.O_NOFOLLOW);
  if (file === null) throw Object.assign(new Error(`${path} is no plain file`), { code: "ENOENT" });
  const { size } = file.stats;
  let pieces: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < size && length <= MOST_BYTES; ) {
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
  if (length > MOST_BYTES) yield { bytes: Buffer.alloc(0), kind: "too long" };
  else if (length > 0) yield { bytes: Buffer.concat(pieces), kind: "cut" };
}
