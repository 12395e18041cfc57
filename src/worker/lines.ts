import type { FileAnswer } from "../tool/files/protocol.ts";
import type { OpenInode } from "./descriptor.ts";
import { at, WorkerFault } from "./faults.ts";
import type { GrantedFolders } from "./grants.ts";
import { versionOf } from "./node.ts";
import { fill, MAX_BODY, nodeOf } from "./read.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { walk } from "./walk.ts";

const NEWLINE = 10;
const CHUNK_BYTES = 256 * 1024;

/** Lines of a file, with their ends; none after its end. Text beyond `maxBytes` is cut off at any position. */
export function readLines(
  grants: GrantedFolders,
  wanted: RequestOf<"read-lines">,
): WorkerAnswer<FileAnswer<"read-lines">> {
  const { path, first, maxLines, maxBytes } = wanted;
  using place = walk(grants, path, "followed");
  const { descriptor, stat } = nodeOf("file", grants, place);
  if (maxBytes > MAX_BODY)
    throw new WorkerFault("TOO_LARGE", place.path, `lines can be read up to ${MAX_BODY} bytes`);
  return at(place.path, () => {
    using content = descriptor.content();
    const from = beginOf(content, first);
    const { body, lines, isLineCut, isEnd } = takeLines(content, from, maxLines, maxBytes);
    const file = { target: place.path, version: versionOf(stat), bytes: Number(stat.size) };
    return { answer: { ...file, lines, isLineCut, isEnd }, body };
  });
}

/** The offset of a line, counted from 1; the end of the file if it has fewer. */
function beginOf(file: OpenInode, line: number): number {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let [from, left] = [0, line - 1];
  while (left > 0) {
    const got = chunk.subarray(0, fill(file, chunk, from));
    if (got.length === 0) return from;
    for (let place = 0; place < got.length && left > 0; ) {
      const end = got.indexOf(NEWLINE, place);
      if (end === -1) place = got.length;
      else [place, left] = [end + 1, left - 1];
      if (left === 0) return from + place;
    }
    from += got.length;
  }
  return from;
}

interface Taken {
  readonly body: Buffer;
  readonly lines: number;
  readonly isLineCut: boolean;
  readonly isEnd: boolean;
}

/** Reads one byte more than the answer may have: it shows if there is more. */
function takeLines(file: OpenInode, from: number, maxLines: number, maxBytes: number): Taken {
  let buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes + 1));
  let [length, lines, counted] = [0, 0, 0];
  for (;;) {
    const asked = buffer.length - length;
    const got = fill(file, buffer.subarray(length), from + length);
    length += got;
    while (lines < maxLines) {
      const end = buffer.subarray(0, Math.min(length, maxBytes)).indexOf(NEWLINE, counted);
      if (end === -1) break;
      [lines, counted] = [lines + 1, end + 1];
    }
    if (lines === maxLines)
      return {
        body: buffer.subarray(0, counted),
        lines,
        isLineCut: false,
        isEnd: counted === length && fill(file, Buffer.allocUnsafe(1), from + length) === 0,
      };
    if (got < asked) break;
    if (buffer.length > maxBytes) break;
    const larger = Buffer.allocUnsafe(Math.min(buffer.length * 4, maxBytes + 1));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
  const isEnd = length <= maxBytes;
  const taken = Math.min(length, maxBytes);
  const hasRest = taken > counted;
  return {
    body: buffer.subarray(0, taken),
    lines: lines + (hasRest ? 1 : 0),
    isLineCut: hasRest && !isEnd,
    isEnd,
  };
}
