import { type BigIntStats, type Dirent, readlinkSync } from "node:fs";
import { type AbsolutePath, pathFromBytes, pathToBytes } from "../profile/path.ts";

/**
 * An inode that was found at a path. How it is reached again depends on the system: `ProcDescriptor` if there is
 * `/proc`, else `PathDescriptor`.
 */
export interface Descriptor extends Disposable {
  /** The inode at a name in this folder, a link itself, without opening it for reading. */
  place(name: string): Descriptor;
  /** A folder in this folder. Throws `ENOTDIR` for anything else, a link too. */
  folder(name: string): Descriptor;
  /** This very inode, opened for reading. Only for files and folders: opening a device could have effects. */
  content(): OpenInode;
  /** The names in this folder as `rawText` has them, in any order. */
  names(): string[];
  entries(): Dirent[];
  /** A name in this folder as the disk has it: it may differ where names that only differ in case are the same. */
  spelled(name: string): string;
  /** A name in this folder, for any call of `node:fs`. Throws `CHANGED` if the folder was moved. */
  child(name: string): string | Buffer;
  /** Gives the inode at a name, a link itself, another name, in any folder. Throws `EEXIST` if that is taken. */
  link(name: string, to: Descriptor, newName: string): void;
  stat(): BigIntStats;
  /** Throws the system's error for a file that this user may not write to. */
  demandWritable(): void;
  /** True if this inode has that path at this moment, without a link on the way. */
  isAt(path: AbsolutePath): boolean;
}

/** An inode that is open for reading. */
export interface OpenInode extends Disposable {
  readonly fd: number;
  stat(): BigIntStats;
}

/** The text of a link in a folder. Throws `EINVAL` if it is not a link. */
export function linkText(folder: Descriptor, name: string): string {
  return pathFromBytes(readlinkSync(folder.child(name), "buffer"));
}

/** A path as `node:fs` takes it: a string is quicker, but can't hold bytes that are not UTF-8. */
export function systemPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : Buffer.from(pathToBytes(path));
}

/** A path or name with one character for each byte, so that Node loses none of them and sorts them by bytes. */
export function rawText(path: string): string {
  return isAscii(path) ? path : Buffer.from(pathToBytes(path)).toString("latin1");
}

/** The name that `rawText` was given. */
export function fromRaw(raw: string): string {
  return isAscii(raw) ? raw : pathFromBytes(Buffer.from(raw, "latin1"));
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}
