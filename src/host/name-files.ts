import { readSync } from "node:fs";
import type { NameFiles } from "../backend/facts.ts";
import { openPlainFile } from "./plain-file.ts";

/** More of a file is not read: lists of hosts to block, the longest there are, hold a few megabytes. */
const MOST_BYTES = 16 * 1024 ** 2;

/** This machine's own. */
export function readNameFiles(): NameFiles {
  return { hosts: textAt("/etc/hosts"), resolver: textAt("/etc/resolv.conf") };
}

/**
 * The text of a file that everybody may read, wherever a link leads to it; null for another. A file that is replaced meanwhile is the one or the
 * other. A longer one ends at a whole line.
 */
export function textAt(path: string): string | null {
  try {
    using file = openPlainFile(path);
    if (file === null || (file.stats.mode & 0o004) === 0) return null;
    if (file.stats.size <= MOST_BYTES) return Buffer.from(file.read()).toString("utf8");
    const bytes = Buffer.alloc(MOST_BYTES);
    const length = readSync(file.fd, bytes, 0, MOST_BYTES, 0);
    return bytes.subarray(0, bytes.lastIndexOf("\n", length) + 1).toString("utf8");
  } catch {
    return null;
  }
}
