import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readlinkSync,
} from "node:fs";
import type { AbsolutePath } from "../profile/path.ts";
import { type Descriptor, type OpenInode, rawText, systemPath } from "./descriptor.ts";

/** A descriptor that only names a place; not exported by Node (asm-generic/fcntl.h: as on x86-64 and arm64). */
const O_PATH = 0o10000000;
const PLACE = O_PATH | constants.O_NOFOLLOW;
const FOLDER = PLACE | constants.O_DIRECTORY;
/** A terminal does not become ours, and opening does not block. */
const CONTENT = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Linux: an open inode. It stays the same, whatever replaces its path. A name in a folder is looked up as
 * `/proc/self/fd/N/name`; this stands in for `openat`, which Node lacks (proc(5)).
 */
export class ProcDescriptor implements Descriptor, OpenInode {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  static root(): ProcDescriptor {
    return new ProcDescriptor(openSync("/", FOLDER));
  }

  place(name: string): ProcDescriptor {
    return new ProcDescriptor(openSync(this.child(name), PLACE));
  }

  folder(name: string): ProcDescriptor {
    return new ProcDescriptor(openSync(this.child(name), FOLDER));
  }

  content(): ProcDescriptor {
    return new ProcDescriptor(openSync(this.path, CONTENT));
  }

  names(): string[] {
    return readdirSync(this.path, "latin1");
  }

  entries(): Dirent[] {
    return readdirSync(this.path, { encoding: "latin1", withFileTypes: true });
  }

  /** A file system with distinct case has each name as requested. */
  spelled(name: string): string {
    return name;
  }

  child(name: string): string | Buffer {
    return systemPath(`${this.path}/${name}`);
  }

  link(name: string, to: Descriptor, newName: string): void {
    linkSync(this.child(name), to.child(newName));
  }

  /** This inode, for any call of `node:fs` that follows links. */
  get path(): string {
    return `/proc/self/fd/${this.fd}`;
  }

  stat(): BigIntStats {
    return fstatSync(this.fd, { bigint: true });
  }

  demandWritable(): void {
    accessSync(this.path, constants.W_OK);
  }

  /** Compares with the kernel's own path. */
  isAt(path: AbsolutePath): boolean {
    return readlinkSync(this.path, "latin1") === rawText(path);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}
