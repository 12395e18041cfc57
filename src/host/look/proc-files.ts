import { closeSync, openSync, readSync } from "node:fs";

/** Buffer into which the kernel writes; each part is copied. */
const PAGES = Buffer.allocUnsafeSlow(64 * 1024);

/** Reads a file of `/proc` as Latin-1. Throws node's errors. */
export function procText(file: string): string {
  return procBytes(file).toString("latin1");
}

/**
 * Reads a file of `/proc` as bytes. The kernel writes such a file while it is read, and reports no size before
 * (proc(5)). Every call reads many of them, and `readFileSync` takes half as long again. Throws node's errors.
 */
export function procBytes(file: string): Buffer {
  const fd = openSync(file, "r");
  try {
    return bytesFrom(fd);
  } finally {
    closeSync(fd);
  }
}

/** Reads an open file of `/proc` from its beginning. Throws node's errors. */
export function bytesFrom(fd: number): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const length = readSync(fd, PAGES, 0, PAGES.length, at);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(Buffer.from(PAGES.subarray(0, length)));
    at += length;
  }
}
