import { readSync } from "node:fs";
import type { FileAnswer } from "../tool/files/protocol.ts";
import type { Content } from "./descriptor.ts";
import { at, Fault } from "./faults.ts";
import { LARGEST_FRAME } from "./frames.ts";
import type { Grants } from "./grants.ts";
import { kindOf, ruledKind, versionOf } from "./node.ts";
import type { Answer, RequestOf } from "./request.ts";
import { type Node, type Place, walk } from "./walk.ts";

/** Room that is left in a frame for the header of an answer with bytes: two paths at most, each escaped byte for byte. */
const HEADER_ROOM = 128 * 1024;
/** The most that one answer carries of a file. */
export const MOST_BODY = LARGEST_FRAME - HEADER_ROOM;
/** A file that tells no size, as in /proc, is tried for so much. */
const UNTOLD = 64 * 1024;

/**
 * Bytes of a file. `version` and `bytes` are those from before it was read: a change while it is read makes the version
 * old. Throws `TOO_LARGE` when more is there and wanted than a frame carries.
 */
export function read(
  grants: Grants,
  { path, from, mostBytes }: RequestOf<"read">,
): Answer<FileAnswer<"read">> {
  using place = walk(grants, path, "followed");
  const { descriptor, stat } = fileAt(grants, place);
  const size = Number(stat.size);
  const wanted = Math.min(mostBytes, size === 0 ? UNTOLD : Math.max(0, size - from));
  if (wanted > MOST_BODY)
    throw new Fault("TOO_LARGE", place.path, `it is read at most ${MOST_BODY} bytes at once`);
  return at(place.path, () => {
    using content = descriptor.content();
    const whole = Buffer.allocUnsafe(wanted);
    const body = whole.subarray(0, fill(content, whole, from));
    return { answer: { target: place.path, version: versionOf(stat), bytes: size }, body };
  });
}

/** The file at a place that may be read. Throws `DENIED`, `NOT_FOUND`, `WRONG_KIND`. */
export function fileAt(grants: Grants, place: Place): Node {
  const node = readableAt(grants, place);
  const kind = kindOf(node.stat);
  if (kind !== "file") throw new Fault("WRONG_KIND", place.path, wrongKind(kind));
  return node;
}

/** The folder at a place that may be listed. Throws `DENIED`, `NOT_FOUND`, `WRONG_KIND`. */
export function folderAt(grants: Grants, place: Place): Node {
  const node = readableAt(grants, place);
  const kind = kindOf(node.stat);
  if (kind !== "folder") throw new Fault("WRONG_KIND", place.path, wrongKind(kind));
  return node;
}

/** What stands at a place, when it may be read. Throws `DENIED`, `NOT_FOUND`. */
export function readableAt(grants: Grants, { path, node }: Place): Node {
  grants.demand("read", path, node === null ? "file" : ruledKind(kindOf(node.stat)));
  if (node === null) throw new Fault("NOT_FOUND", path, "ENOENT");
  return node;
}

function wrongKind(kind: string): string {
  return kind === "other" ? "it is a pipe, a socket or a device" : `it is a ${kind}`;
}

/** Reads until the buffer is full or the file ends; answers how much that was. */
export function fill(file: Content, buffer: Buffer, from: number): number {
  let length = 0;
  while (length < buffer.length) {
    const got = readSync(file.fd, buffer, length, buffer.length - length, from + length);
    if (got === 0) break;
    length += got;
  }
  return length;
}
