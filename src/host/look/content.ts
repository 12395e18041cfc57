import { constants, lstatSync, type Stats } from "node:fs";
import { CofferdamError, visible } from "../../errors.ts";
import { sha256 } from "../../profile/digest.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { systemPath } from "./nodes.ts";
import { openPlainFile } from "./plain-file.ts";

/** Larger files are identified by size and change time: everything else waits while one is read. */
export const MAX_CONTENT_BYTES = 32 * 1024 ** 2;

/**
 * Identifies the content of a plain file: its SHA-256 or, above `maxBytes` or if unreadable, its size and change time,
 * which the kernel sets at each change and no process can (inode(7)). Throws `FACTS_UNSTABLE` if the file at the path
 * is not the one of that id (`device:inode`), or a lease is on it.
 */
export function contentIdOf(path: AbsolutePath, id: string, maxBytes = MAX_CONTENT_BYTES): string {
  const at = systemPath(path);
  try {
    using file = openPlainFile(at, constants.O_NOFOLLOW);
    if (file === null) throw unstable(path);
    const state = stateOf(path, id, file.stats);
    return file.stats.size > maxBytes ? state : sha256(file.read());
  } catch (cause) {
    if (cause instanceof CofferdamError) throw cause;
    if (cause instanceof Error && "code" in cause && cause.code === "EACCES")
      return stateOf(path, id, lstatSync(at));
    throw unstable(path, cause);
  }
}

function stateOf(path: AbsolutePath, id: string, stats: Stats): string {
  if (!stats.isFile() || `${stats.dev}:${stats.ino}` !== id) throw unstable(path);
  return `${stats.size} bytes, changed at ${stats.ctimeMs} ms`;
}

function unstable(path: AbsolutePath, cause?: unknown): CofferdamError {
  return new CofferdamError("FACTS_UNSTABLE", `${visible(path)} changed while it was read`, {
    hint: "run the call again",
    cause,
  });
}
