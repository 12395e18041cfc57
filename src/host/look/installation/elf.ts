import { closeSync, openSync, readSync } from "node:fs";
import type { AbsolutePath } from "../../../profile/path.ts";
import { systemPath } from "../nodes.ts";

/** Maximum of bytes of any part of a file that is read here. */
const MAX_BYTES = 64 * 1024;

const MAGIC = 0x7f45_4c46;
const [PT_LOAD, PT_DYNAMIC] = [1, 2];
const [DT_STRTAB, DT_RPATH, DT_RUNPATH] = [5, 15, 29];

/** The folders in a file's `DT_RPATH` and `DT_RUNPATH`, split (elf(5), ld.so(8)); none if it is no such file. */
export function searchPathsOf(path: AbsolutePath): readonly string[] {
  try {
    const fd = openSync(systemPath(path), "r");
    try {
      return searchPathsIn((at, length) => bytesAt(fd, at, length));
    } finally {
      closeSync(fd);
    }
  } catch {
    return [];
  }
}

type Read = (at: number, length: number) => DataView;

function bytesAt(fd: number, at: number, length: number): DataView {
  const bytes = new DataView(new ArrayBuffer(Math.min(length, MAX_BYTES)));
  return new DataView(bytes.buffer, 0, readSync(fd, bytes, 0, bytes.byteLength, at));
}

/** Throws a `RangeError` for a file that ends too early. */
function searchPathsIn(read: Read): readonly string[] {
  const head = read(0, 64);
  if (head.getUint32(0) !== MAGIC) return [];
  const isLittle = head.getUint8(5) === 1;
  const isWide = head.getUint8(4) === 2;
  const word = (view: DataView, at: number): number =>
    isWide ? Number(view.getBigUint64(at, isLittle)) : view.getUint32(at, isLittle);
  const entry = head.getUint16(isWide ? 54 : 42, isLittle);
  const count = head.getUint16(isWide ? 56 : 44, isLittle);
  const [offsetAt, addressAt, lengthAt] = isWide ? [8, 16, 32] : [4, 8, 16];
  const loaded: Segment[] = [];
  let dynamic: DataView | null = null;
  const table = read(word(head, isWide ? 32 : 28), entry * count);
  for (let at = 0; at < entry * count; at += entry) {
    const kind = table.getUint32(at, isLittle);
    const [offset, length] = [word(table, at + offsetAt), word(table, at + lengthAt)];
    if (kind === PT_LOAD) loaded.push({ offset, length, address: word(table, at + addressAt) });
    if (kind === PT_DYNAMIC) dynamic = read(offset, length);
  }
  if (dynamic === null) return [];
  const [strings, named] = namedIn(dynamic, isWide ? 8 : 4, word);
  const holder = loaded.find(({ address, length }) => strings >= address && strings < address + length);
  if (holder === undefined) return [];
  return named.flatMap((at) => wordsIn(read(strings - holder.address + holder.offset + at, MAX_BYTES)));
}

interface Segment {
  readonly offset: number;
  readonly address: number;
  readonly length: number;
}

function namedIn(
  section: DataView,
  size: number,
  word: (view: DataView, at: number) => number,
): readonly [strings: number, named: readonly number[]] {
  const named: number[] = [];
  let strings = 0;
  for (let at = 0; at + 2 * size <= section.byteLength; at += 2 * size) {
    const tag = word(section, at);
    if (tag === DT_STRTAB) strings = word(section, at + size);
    if (tag === DT_RPATH || tag === DT_RUNPATH) named.push(word(section, at + size));
  }
  return [strings, named];
}

function wordsIn(text: DataView): readonly string[] {
  const bytes = Buffer.from(text.buffer, 0, text.byteLength);
  return bytes.toString("utf8", 0, Math.max(0, bytes.indexOf(0))).split(":");
}
