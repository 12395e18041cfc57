import { type BigIntStats, type Dirent, readlinkSync } from "node:fs";
import { type AbsolutePath, pathFromBytes, pathToBytes } from "../profile/path.ts";

/**
 * An inode that was found at a path. How it is got back to is the system's: `ProcDescriptor` where there is `/proc`, else
 * `PathDescriptor`.
 */
export interface Descriptor extends Disposable {
  /** What stands at a name in this folder, a link itself, without opening it for reading. */
  place(name: string): Descriptor;
  /** A folder in this folder. Throws `ENOTDIR` for all else, a link too. */
  folder(name: string): Descriptor;
  /** The very inode, to be read. Only for files and folders: a device could do something when it is opened. */
  content(): Content;
  /** The names in this folder as `rawText` has them, in any order. */
  names(): string[];
  /** The same with what each stands for. */
  entries(): Dirent[];
  /** A name in this folder as the disk has it: where names that only differ in case are one, it may be another. */
  spelled(name: string): string;
  /** A name in this folder, for any call of `node:fs`. Throws `CHANGED` where that can't be said any more. */
  child(name: string): string | Buffer;
  /** Gives what stands at a name, a link itself, a second one, in another folder maybe. Throws `EEXIST` where one is. */
  link(name: string, to: Descriptor, newName: string): void;
  stat(): BigIntStats;
  /** Throws the system's own no for a file that this user may not write to. */
  demandWritable(): void;
  /** True when this inode is called so, at this moment, without a link on the way. */
  isAt(path: AbsolutePath): boolean;
}

/** An inode that is open for reading. */
export interface Content extends Disposable {
  readonly fd: number;
  stat(): BigIntStats;
}

/** What a link in a folder says. Throws `EINVAL` when it is none. */
export function linkText(folder: Descriptor, name: string): string {
  return pathFromBytes(readlinkSync(folder.child(name), "buffer"));
}

/** A path as `node:fs` takes it: text is quicker, but can't hold bytes that are not UTF-8. */
export function systemPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : Buffer.from(pathToBytes(path));
}

/** A path or name as one character a byte, in which Node tells names without losing any and their order is that of bytes. */
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
