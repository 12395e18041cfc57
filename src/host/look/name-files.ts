import { readSync } from "node:fs";
import type { NameFiles } from "../../backend/facts.ts";
import { openPlainFile } from "./plain-file.ts";

/** Maximum of bytes that are read: lists of hosts to block, the longest ones, hold a few megabytes. */
const MAX_BYTES = 16 * 1024 ** 2;

/** Reads this machine's own files. */
export function readNameFiles(): NameFiles {
  return { hosts: textAt("/etc/hosts"), resolver: textAt("/etc/resolv.conf") };
}

/**
 * The text of a file that all users may read, after links; null for another. A file that is replaced meanwhile is the
 * old or the new one. A longer one ends at a whole line.
 */
export function textAt(path: string): string | null {
  try {
    using file = openPlainFile(path);
    if (file === null || (file.stats.mode & 0o004) === 0) return null;
    if (file.stats.size <= MAX_BYTES) return Buffer.from(file.read()).toString("utf8");
    const bytes = Buffer.alloc(MAX_BYTES);
    const length = readSync(file.fd, bytes, 0, MAX_BYTES, 0);
    return bytes.subarray(0, bytes.lastIndexOf("\n", length) + 1).toString("utf8");
  } catch {
    return null;
  }
}
