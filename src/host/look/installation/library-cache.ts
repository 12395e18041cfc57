import { readFileSync, statSync } from "node:fs";
import { pathFromBytes } from "../../../profile/path.ts";

/** Room for some hundred thousand libraries; a system has some thousands. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A table of libraries in a cache: entries of four-byte numbers, of which the third is the path's offset. */
interface Table {
  readonly count: number;
  /** Offset of the first entry, and the size of each, in bytes. */
  readonly first: number;
  readonly entry: number;
  /** Offsets of paths are counted from here. */
  readonly base: number;
}

/** The content of a cache file twice: as little-endian numbers of four bytes, and as text of one character per byte. */
interface Cache {
  readonly numbers: Uint32Array;
  readonly text: string;
}

/**
 * The folders of the libraries that glibc's cache lists (glibc, sysdeps/generic/dl-cache.h). The loader takes libraries
 * from there, which need not be a folder of `ld.so.conf`: `ldconfig DIR` adds others. A file in another format adds
 * nothing, because the loader ignores it, too.
 */
export function foldersOfCache(file: string): readonly string[] {
  const cache = readCache(file);
  const table = cache === null ? null : tableIn(cache);
  if (cache === null || table === null) return [];
  const { numbers, text } = cache;
  const folders = new Set<string>();
  for (let at = table.first + 8, left = table.count; left > 0 && at < text.length; left -= 1) {
    const begin = table.base + (numbers[at / 4] ?? text.length);
    const end = text.indexOf("\0", begin);
    const slash = end < 0 ? -1 : text.lastIndexOf("/", end);
    if (slash > begin) folders.add(text.slice(begin, slash));
    at += table.entry;
  }
  return [...folders].map((folder) => pathFromBytes(Buffer.from(folder, "latin1")));
}

const OLD = "ld.so-1.7.0";
const OLD_HEADER = 16;
const OLD_ENTRY = 12;
const NEW = "glibc-ld.so.cache1.1";
const NEW_HEADER = 48;
const NEW_ENTRY = 24;

/** The new table, alone or after an old one, which ends at a multiple of eight or four bytes; or the old one alone. */
function tableIn(cache: Cache): Table | null {
  if (!cache.text.startsWith(OLD)) return newTableAt(cache, 0);
  const count = cache.numbers[OLD_HEADER / 4 - 1] ?? 0;
  const base = OLD_HEADER + count * OLD_ENTRY;
  const old = { count, first: OLD_HEADER, entry: OLD_ENTRY, base };
  return newTableAt(cache, Math.ceil(base / 8) * 8) ?? newTableAt(cache, base) ?? old;
}

function newTableAt({ numbers, text }: Cache, base: number): Table | null {
  if (!text.startsWith(NEW, base)) return null;
  const count = numbers[(base + NEW.length) / 4] ?? 0;
  return { count, first: base + NEW_HEADER, entry: NEW_ENTRY, base };
}

function readCache(file: string): Cache | null {
  try {
    if (statSync(file).size > MAX_BYTES) return null;
    const bytes = readFileSync(file);
    const { buffer } = new Uint8Array(bytes);
    return { numbers: new Uint32Array(buffer, 0, bytes.length >> 2), text: bytes.toString("latin1") };
  } catch {
    return null;
  }
}
