import { constants, readSync } from "node:fs";
import type { AbsolutePath } from "../../../profile/path.ts";
import { systemPath } from "../nodes.ts";
import { openPlainFile } from "../plain-file.ts";

/** The first bytes of a plain file; `isWhole` if that is all of it, `isLinked` if it had another name when opened. */
export interface Beginning {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  readonly isLinked: boolean;
}

/** The first bytes of a plain file that is not a link. Null for anything else. */
export function beginningOf(path: AbsolutePath, maxBytes: number): Beginning | null {
  try {
    using file = openPlainFile(systemPath(path), constants.O_NOFOLLOW);
    if (file === null) return null;
    const { size, nlink } = file.stats;
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    const read = readSync(file.fd, buffer, 0, buffer.length, 0);
    return { bytes: buffer.subarray(0, read), isWhole: read === size, isLinked: nlink > 1 };
  } catch {
    return null;
  }
}

/** The text of such a file up to this size; empty for anything else. */
export function smallTextOf(path: AbsolutePath, maxBytes: number): string {
  const found = beginningOf(path, maxBytes);
  return found?.isWhole === true ? found.bytes.toString("utf8") : "";
}
