import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { type AbsolutePath, pathFromBytes, pathToBytes } from "../profile/path.ts";

/** A descriptor that only names a place; Node does not name the flag (asm-generic/fcntl.h: the same on x86-64 and arm64). */
const O_PATH = 0o10000000;
const PLACE = O_PATH | constants.O_NOFOLLOW;
const FOLDER = PLACE | constants.O_DIRECTORY;
/** A terminal does not become ours, and nothing is waited for. */
const CONTENT = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * An open inode: it stays this one, whatever comes to stand at its path. A name in a folder is looked up as
 * `/proc/self/fd/N/name`, which is `openat`, which Node has no call for (proc(5)).
 */
export class Descriptor implements Disposable {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  /** The root of the file system. */
  static root(): Descriptor {
    return new Descriptor(openSync("/", FOLDER));
  }

  /** What stands at a name in this folder, a link itself, without opening it for reading. */
  place(name: string): Descriptor {
    return new Descriptor(openSync(this.child(name), PLACE));
  }

  /** A folder in this folder. Throws `ENOTDIR` for all else, a link too. */
  folder(name: string): Descriptor {
    return new Descriptor(openSync(this.child(name), FOLDER));
  }

  /** The very inode, to be read. Only for files and folders: a device could do something when it is opened. */
  content(): Descriptor {
    return new Descriptor(openSync(this.path, CONTENT));
  }

  /** A name in this folder, for any call of `node:fs`. */
  child(name: string): string | Buffer {
    const text = `${this.path}/${name}`;
    return text.isWellFormed() ? text : Buffer.from(pathToBytes(text));
  }

  /** This inode, for any call of `node:fs` that follows links. */
  get path(): string {
    return `/proc/self/fd/${this.fd}`;
  }

  stat(): BigIntStats {
    return fstatSync(this.fd, { bigint: true });
  }

  /** True when the kernel itself calls this inode so, at this moment. */
  isAt(path: AbsolutePath): boolean {
    return readlinkSync(this.path, "latin1") === rawText(path);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/** What a link in a folder says. Throws `EINVAL` when it is none. */
export function linkText(folder: Descriptor, name: string): string {
  return pathFromBytes(readlinkSync(folder.child(name), "buffer"));
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
