import { hash } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
} from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { systemPath } from "./nodes.ts";

/** A larger file is told by its size and change time. */
const MOST_BYTES = 64 * 1024 ** 2;

/** A pipe that has come to stand at the path, or a lease, must not keep us waiting (open(2)). */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * What tells the content of a plain file from any other: its SHA-256 or, above 64 MiB, its size and change time, which the
 * kernel sets at each change and no process can (inode(7)); so is one that can't be read.
 * Throws `FACTS_UNSTABLE` when something else stands at the path than the file of that id (`device:inode`), or a lease is on it.
 */
export function contentIdOf(path: AbsolutePath, id: string): string {
  let fd: number;
  try {
    fd = openSync(systemPath(path), FLAGS);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EACCES")
      return stateOf(path, id, lstatSync(systemPath(path), { bigint: true }));
    throw unstable(path, cause);
  }
  try {
    const stats = fstatSync(fd, { bigint: true });
    const state = stateOf(path, id, stats);
    return stats.size > MOST_BYTES ? state : hash("sha256", readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}

function stateOf(path: AbsolutePath, id: string, stats: BigIntStats): string {
  if (!stats.isFile() || `${stats.dev}:${stats.ino}` !== id) throw unstable(path);
  return `${stats.size} bytes, changed at ${stats.ctimeNs} ns`;
}

function unstable(path: AbsolutePath, cause?: unknown): CofferdamError {
  return new CofferdamError("FACTS_UNSTABLE", `${visible(path)} changes while it is looked at`, {
    hint: "run the call again",
    cause,
  });
}
