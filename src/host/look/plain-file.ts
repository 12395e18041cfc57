import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";

/** A plain file that was opened: it stays this file, even if its path leads to another. */
export interface PlainFile extends Disposable {
  readonly stats: Stats;
  readonly fd: number;
  /** Its content, up to its size when it was opened: later additions are left out. */
  read(): Uint8Array;
}

/**
 * Opens a plain file to read it; null if something else is there. A replacement between the look and the opening is
 * noticed by its descriptor, and a FIFO blocks nothing (open(2), `O_NONBLOCK`). Throws node's errors.
 */
export function openPlainFile(path: string | Buffer, flags = 0): PlainFile | null {
  if (!statSync(path).isFile()) return null;
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | flags);
  const stats = fstatSync(fd);
  if (!stats.isFile()) {
    closeSync(fd);
    return null;
  }
  return { stats, fd, read: () => readAll(fd, stats.size), [Symbol.dispose]: () => closeSync(fd) };
}

/** The text of a plain file; null if there is none, or it is larger than `maxBytes`. Throws node's errors. */
export function readPlainText(path: string | Buffer, maxBytes: number): string | null {
  using file = openPlainFile(path);
  if (file === null || file.stats.size > maxBytes) return null;
  return Buffer.from(file.read()).toString("utf8");
}

function readAll(fd: number, size: number): Uint8Array {
  const buffer = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const read = readSync(fd, buffer, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}
