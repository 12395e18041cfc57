import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { type AbsolutePath, isAbsolutePath, pathFromBytes, pathToBytes } from "../profile/path.ts";

/** A path as `node:fs` takes it: text is quicker, but can't hold bytes that are not UTF-8. */
export function systemPath(path: AbsolutePath): string | Buffer {
  return path.isWellFormed() ? path : Buffer.from(pathToBytes(path));
}

/** `lstat`, or null when there is nothing or it can't be seen. */
export function statsOf(path: AbsolutePath): Stats | null {
  try {
    return lstatSync(systemPath(path), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** What a link says, itself not followed; null for what is none, or can't be seen. */
export function linkAt(path: AbsolutePath): string | null {
  try {
    return pathFromBytes(readlinkSync(systemPath(path), { encoding: "buffer" }));
  } catch {
    return null;
  }
}

/** The path with every link resolved, or null when it leads nowhere. */
export function realPathOf(path: AbsolutePath): AbsolutePath | null {
  try {
    const real = pathFromBytes(realpathSync.native(systemPath(path), { encoding: "buffer" }));
    return isAbsolutePath(real) ? real : null;
  } catch {
    return null;
  }
}
