import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
} from "node:fs";
import { type AbsolutePath, joinPath, pathFromBytes, ROOT } from "../profile/path.ts";
import { type Descriptor, fromRaw, type OpenInode, rawText, systemPath } from "./descriptor.ts";
import { isGone, systemError, WorkerFault } from "./faults.ts";
import { isSameInode } from "./node.ts";

/** A link that replaced the found file is not followed; a terminal does not become ours, and opening does not block. */
const CONTENT = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * macOS, where no name can be looked up in an open folder from here. An inode is its path, with the device and number
 * that were seen there, and the folders that led to it, each with its own. A number is not given to another file while
 * there are others (APFS counts on). Only files to be read are opened, so that folders need only be passed through.
 * - Before a name is used its folder is checked: the path must lead to that very folder. A name is then used as on
 *   Linux, except for changes by others between the check and the use.
 * - An opened file must be the inode that was found; a list of names is returned only if the folder is still there.
 * - `isAt` checks each folder on the way again, so that none was exchanged, nor is a link by now.
 * A process that wins the race of a check and its use leads that one use elsewhere, but not out of the sandbox: the
 * kernel matches its rules with the path that it has resolved, so paths that are not granted are refused there.
 */
export class PathDescriptor implements Descriptor {
  readonly #path: AbsolutePath;
  readonly #above: PathDescriptor | null;
  readonly #seen: BigIntStats;

  private constructor(path: AbsolutePath, above: PathDescriptor | null) {
    this.#path = path;
    this.#above = above;
    this.#seen = look(path);
  }

  static root(): PathDescriptor {
    return new PathDescriptor(ROOT, null);
  }

  place(name: string): PathDescriptor {
    this.child(name);
    return new PathDescriptor(joinPath(this.#path, name), this);
  }

  folder(name: string): PathDescriptor {
    const found = this.place(name);
    if (!found.#seen.isDirectory()) throw systemError("ENOTDIR", found.#path);
    return found;
  }

  content(): OpenInode {
    const content = new OpenContent(openStill(this.#path));
    if (isSameInode(content.stat(), this.#seen)) return content;
    content[Symbol.dispose]();
    throw moved(this.#path);
  }

  names(): string[] {
    return this.#listed(() => readdirSync(systemPath(this.#path), "latin1"));
  }

  entries(): Dirent[] {
    const path = systemPath(this.#path);
    return this.#listed(() => readdirSync(path, { encoding: "latin1", withFileTypes: true }));
  }

  spelled(name: string): string {
    const stat = this.#lookFor(name);
    if (stat === null) return name;
    const real = stat.isSymbolicLink() ? null : this.#realName(name);
    if (real === name) return name;
    const names = this.#namesIfListable();
    // A file may have another name as well, and the kernel may report that one.
    if (names.includes(rawText(name))) return name;
    const isIt = (other: string): boolean => {
      const found = this.#lookFor(other);
      return found !== null && isSameInode(found, stat);
    };
    return [...(real === null ? [] : [real]), ...names.map(fromRaw)].find(isIt) ?? name;
  }

  child(name: string): string | Buffer {
    this.#demandThere();
    return systemPath(joinPath(this.#path, name));
  }

  /** On macOS link(2) follows links, so a link gets no second name: `EOPNOTSUPP`, as on a file system without links. */
  link(name: string, to: Descriptor, newName: string): void {
    const [old, fresh] = [this.child(name), to.child(newName)];
    if (lstatSync(old).isSymbolicLink()) throw systemError("EOPNOTSUPP", joinPath(this.#path, name));
    linkSync(old, fresh);
  }

  stat(): BigIntStats {
    const now = this.#lookAgain();
    if (now === null) throw moved(this.#path);
    return now;
  }

  demandWritable(): void {
    this.#demandThere();
    accessSync(systemPath(this.#path), constants.W_OK);
  }

  isAt(path: AbsolutePath): boolean {
    const above = this.#above;
    return path === this.#path && this.#isThere() && (above === null || above.isAt(above.#path));
  }

  [Symbol.dispose](): void {
    // Nothing is open.
  }

  #isThere(): boolean {
    return this.#lookAgain() !== null;
  }

  #demandThere(): void {
    if (!this.#isThere()) throw moved(this.#path);
  }

  /** The stat at the path, if it is still this inode. */
  #lookAgain(): BigIntStats | null {
    try {
      const now = look(this.#path);
      return isSameInode(now, this.#seen) ? now : null;
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  #listed<Listed>(list: () => Listed): Listed {
    this.#demandThere();
    const listed = list();
    this.#demandThere();
    return listed;
  }

  #namesIfListable(): readonly string[] {
    try {
      return this.names();
    } catch {
      return [];
    }
  }

  #lookFor(name: string): BigIntStats | null {
    try {
      return look(joinPath(this.#path, name));
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  /** The name on disk by realpath(3), for anything but a link; null if unknown. */
  #realName(name: string): string | null {
    try {
      const path = systemPath(joinPath(this.#path, name));
      const real = pathFromBytes(realpathSync.native(path, { encoding: "buffer" }));
      return real.slice(real.lastIndexOf("/") + 1);
    } catch {
      return null;
    }
  }
}

class OpenContent implements OpenInode {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  stat(): BigIntStats {
    return fstatSync(this.fd, { bigint: true });
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

function openStill(path: AbsolutePath): number {
  try {
    return openSync(systemPath(path), CONTENT);
  } catch (error) {
    throw isGone(error) ? moved(path) : error;
  }
}

function look(path: AbsolutePath): BigIntStats {
  return lstatSync(systemPath(path), { bigint: true });
}

function moved(path: AbsolutePath): WorkerFault {
  return new WorkerFault("CHANGED", path, "another file took its place");
}
