import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { type AbsolutePath, knownPath, pathFromBytes, pathToBytes } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";
import { SPELLING } from "./spelling.ts";

/** A path as `node:fs` takes it: text is quicker, but can't hold bytes that are not UTF-8. */
export function systemPath(path: AbsolutePath): string | Buffer {
  return path.isWellFormed() ? path : Buffer.from(pathToBytes(path));
}

/** `lstat`, or null if nothing is there or it can't be seen. */
export function statsOf(path: AbsolutePath): Stats | null {
  return orNull(() => lstatSync(systemPath(path), { throwIfNoEntry: false }) ?? null);
}

/** True for a symbolic link, also a dangling one. */
export function isLink(path: AbsolutePath): boolean {
  return statsOf(path)?.isSymbolicLink() === true;
}

/** Maximum of bytes, more than a system's settings hold; copying that takes about as long as a mount. */
const MAX_COPIED = 128 * 1024;

/** Changed in place as networks come and go, and read again by long-running programs: a copy would stay as it was. */
const CHANGED_IN_PLACE: ReadonlySet<string> = new Set(["/etc/hosts", "/etc/resolv.conf"]);

/**
 * True for a small plain file in `/etc` that is root's, that all may read, its owner too, and that is not executable.
 * As with a mounted file, a running program does not see it replaced.
 */
export function isCopyable(
  path: AbsolutePath,
  stats: Pick<Stats, "isFile" | "uid" | "mode" | "size">,
): boolean {
  return (
    path.startsWith("/etc/") &&
    !CHANGED_IN_PLACE.has(path) &&
    stats.isFile() &&
    stats.uid === 0 &&
    (stats.mode & 0o7555) === 0o444 &&
    stats.size <= MAX_COPIED
  );
}

/** True if this process may use the entry in these ways (access(2)). */
export function canAccess(path: string | Buffer, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** True if this user may read the entry. */
export function canRead(path: AbsolutePath): boolean {
  return canAccess(systemPath(path), constants.R_OK);
}

/** The text of a link, itself not followed; null if it is none, or can't be seen. */
export function linkAt(path: AbsolutePath): string | null {
  return orNull(() => textOf(readlinkSync(systemPath(path), { encoding: "buffer" })));
}

/** The path with every link resolved, as the disk writes it. Throws node's errors. */
export function resolvedPath(path: AbsolutePath): AbsolutePath {
  return SPELLING.canonical(knownPath(textOf(realpathSync.native(systemPath(path), { encoding: "buffer" }))));
}

/**
 * Decodes a path from the file system. Under Yarn's Plug'n'Play, which replaces these functions of Node, it comes as
 * text that has lost bytes outside of UTF-8: such a path can't be known then.
 */
function textOf(name: Uint8Array | string): string {
  if (typeof name !== "string") return pathFromBytes(name);
  if (!name.includes("\u{fffd}")) return name;
  throw new Error("a path that is not UTF-8 can't be read under Plug'n'Play");
}

/** The bytes of a path from the file system, even from replaced functions; see `textOf`. */
export function bytesOf(name: Uint8Array | string): Buffer {
  return Buffer.from(typeof name === "string" ? pathToBytes(textOf(name)) : name);
}

/** `resolvedPath`, or null if it leads nowhere. */
export function realPathOf(path: AbsolutePath): AbsolutePath | null {
  return orNull(() => resolvedPath(path));
}

/** Major and minor number, as the C library takes them apart (sys/sysmacros.h). */
export function numbersOf(rdev: number): readonly [major: number, minor: number] {
  const number = BigInt(rdev);
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xfffff000n);
  const minor = (number & 0xffn) | ((number >> 12n) & 0xffffff00n);
  return [Number(major), Number(minor)];
}
