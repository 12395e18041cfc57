import { closeSync, openSync, readSync } from "node:fs";

/** Where the kernel writes before what it wrote is copied. */
const PAGES = Buffer.allocUnsafeSlow(64 * 1024);

/** What a file of `/proc` says now, as Latin-1. Throws node's errors. */
export function procText(file: string): string {
  return procBytes(file).toString("latin1");
}

/**
 * The same as bytes. The kernel makes it while it is read and tells no size before (proc(5)), and every call
 * waits for many of them: `readFileSync` takes half as long again. Throws node's errors.
 */
export function procBytes(file: string): Buffer {
  const fd = openSync(file, "r");
  try {
    return bytesFrom(fd);
  } finally {
    closeSync(fd);
  }
}

/** What an open file of `/proc` says now, from its beginning. Throws node's errors. */
export function bytesFrom(fd: number): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const length = readSync(fd, PAGES, 0, PAGES.length, at);
    const [only] = chunks;
    if (length === 0) return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
    chunks.push(Buffer.from(PAGES.subarray(0, length)));
    at += length;
  }
}
