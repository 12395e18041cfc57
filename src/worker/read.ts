import { readSync } from "node:fs";
import type { FileAnswer } from "../tool/files/protocol.ts";
import type { OpenInode } from "./descriptor.ts";
import { at, WorkerFault } from "./faults.ts";
import { LARGEST_FRAME } from "./frames.ts";
import type { GrantedFolders } from "./grants.ts";
import { kindOf, ruledKind, versionOf } from "./node.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { type WalkedInode, type WalkedPlace, walk } from "./walk.ts";

/** Room in a frame for the header of an answer with bytes: two paths at most, each escaped byte for byte. */
const HEADER_ROOM = 128 * 1024;
/** Maximum of bytes of a file in one answer. */
export const MAX_BODY = LARGEST_FRAME - HEADER_ROOM;
/** Bytes that are tried for a file without a size, as in /proc. */
const UNKNOWN_SIZE_BYTES = 64 * 1024;

/**
 * Bytes of a file. `version` and `bytes` are those from before it was read: a change while it is read makes the version
 * old. Throws `TOO_LARGE` if more is there and wanted than a frame carries.
 */
export function read(
  grants: GrantedFolders,
  { path, from, maxBytes }: RequestOf<"read">,
): WorkerAnswer<FileAnswer<"read">> {
  using place = walk(grants, path, "followed");
  const { descriptor, stat } = nodeOf("file", grants, place);
  const size = Number(stat.size);
  const wanted = Math.min(maxBytes, size === 0 ? UNKNOWN_SIZE_BYTES : Math.max(0, size - from));
  if (wanted > MAX_BODY)
    throw new WorkerFault("TOO_LARGE", place.path, `at most ${MAX_BODY} bytes can be read at once`);
  return at(place.path, () => {
    using content = descriptor.content();
    const whole = Buffer.allocUnsafe(wanted);
    const body = whole.subarray(0, fill(content, whole, from));
    return { answer: { target: place.path, version: versionOf(stat), bytes: size }, body };
  });
}

/** The file or folder at a place that may be read or listed. Throws `DENIED`, `NOT_FOUND`, `WRONG_KIND`. */
export function nodeOf(wanted: "file" | "folder", grants: GrantedFolders, place: WalkedPlace): WalkedInode {
  const node = readableAt(grants, place);
  const kind = kindOf(node.stat);
  if (kind !== wanted) throw new WorkerFault("WRONG_KIND", place.path, wrongKind(kind));
  return node;
}

/** The node at a place, if it may be read. Throws `DENIED`, `NOT_FOUND`. */
export function readableAt(grants: GrantedFolders, { path, node }: WalkedPlace): WalkedInode {
  grants.demand("read", path, node === null ? "file" : ruledKind(kindOf(node.stat)));
  if (node === null) throw new WorkerFault("NOT_FOUND", path, "ENOENT");
  return node;
}

function wrongKind(kind: string): string {
  return kind === "other" ? "it is a pipe, a socket or a device" : `it is a ${kind}`;
}

/** Reads until the buffer is full or the file ends; returns the number of bytes. */
export function fill(file: OpenInode, buffer: Buffer, from: number): number {
  let length = 0;
  while (length < buffer.length) {
    const got = readSync(file.fd, buffer, length, buffer.length - length, from + length);
    if (got === 0) break;
    length += got;
  }
  return length;
}
