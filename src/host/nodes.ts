import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { type AbsolutePath, knownPath, pathFromBytes, pathToBytes } from "../profile/path.ts";
import { SPELLING } from "./spelling.ts";

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

/** True for a symbolic link, wherever it leads. */
export function isLink(path: AbsolutePath): boolean {
  return statsOf(path)?.isSymbolicLink() === true;
}

/** More than the settings of a system hold; to copy so much takes about as long as a mount. */
const MOST_COPIED = 128 * 1024;

/** Changed in place as networks come and go, and read again by programs that run for long: a copy would stay as it was. */
const CHANGED_IN_PLACE: ReadonlySet<string> = new Set(["/etc/hosts", "/etc/resolv.conf"]);

/**
 * True for a small plain file in `/etc` that is root's, that everybody may read, its owner too, and that is not to be run.
 * As with a file that is mounted, a program that runs already does not see it replaced.
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
    stats.size <= MOST_COPIED
  );
}

/** Whether this user may read what stands there. */
export function canRead(path: AbsolutePath): boolean {
  try {
    accessSync(systemPath(path), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a link says, itself not followed; null for what is none, or can't be seen. */
export function linkAt(path: AbsolutePath): string | null {
  try {
    return textOf(readlinkSync(systemPath(path), { encoding: "buffer" }));
  } catch {
    return null;
  }
}

/** The path with every link resolved, as the disk writes it. Throws node's errors. */
export function resolvedPath(path: AbsolutePath): AbsolutePath {
  return SPELLING.canonical(knownPath(textOf(realpathSync.native(systemPath(path), { encoding: "buffer" }))));
}

/**
 * A path that the file system told. Under Yarn's Plug'n'Play, which replaces these functions of Node, it comes as text in
 * which bytes that are no UTF-8 are lost: such a path can't be known then.
 */
function textOf(told: Uint8Array | string): string {
  if (typeof told !== "string") return pathFromBytes(told);
  if (!told.includes("\u{fffd}")) return told;
  throw new Error("a path with bytes that are no UTF-8 can't be read under Plug'n'Play");
}

/** The bytes of a path that the file system told, whoever replaced its functions; see `textOf`. */
export function bytesOf(told: Uint8Array | string): Buffer {
  return Buffer.from(typeof told === "string" ? pathToBytes(textOf(told)) : told);
}

/** `resolvedPath`, or null when it leads nowhere. */
export function realPathOf(path: AbsolutePath): AbsolutePath | null {
  try {
    return resolvedPath(path);
  } catch {
    return null;
  }
}

/** Major and minor number, as the C library takes them apart (sys/sysmacros.h). */
export function numbersOf(rdev: number): readonly [major: number, minor: number] {
  const number = BigInt(rdev);
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xfffff000n);
  const minor = (number & 0xffn) | ((number >> 12n) & 0xffffff00n);
  return [Number(major), Number(minor)];
}
