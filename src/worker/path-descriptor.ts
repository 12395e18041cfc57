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
import { type Content, type Descriptor, fromRaw, rawText, systemPath } from "./descriptor.ts";
import { Fault, isGone, systemError } from "./faults.ts";
import { isSameInode } from "./node.ts";

/** A link in the place of what was found is not followed; a terminal does not become ours, and nothing is waited for. */
const CONTENT = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * macOS, where no name can be looked up in an open folder from here: an inode is its path, with the device and number that
 * were seen there, and the folders that led to it, each with its own. A number is not given to another file while there are
 * others (APFS counts on). Nothing is opened but what is read, so that folders need only be passed through.
 * - Before a name is used its folder is looked at: the path must lead to that very folder. A name is then used as on Linux,
 *   but for what somebody does between the look and the use.
 * - What was opened must be the inode that was found; what was listed is told only if the folder is still there.
 * - `isAt` looks at each folder on the way once more, so that none was exchanged, nor is a link by now.
 * Who wins the race of a look and its use leads that one use elsewhere, but not out of the walls: the kernel matches its
 * rules with the path that it has resolved, so that what is granted nowhere is refused there.
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

  /** The root of the file system. */
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

  content(): Content {
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
    // A file may have another name as well, and be told by that one.
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

  /** Where link(2) follows a link (macOS), it gets no second name: `EOPNOTSUPP`, as where the file system has none. */
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

  /** What stands at the path, if it is this inode. */
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

  /** The name on disk, which realpath(3) says, of anything but a link; null where that can't be told. */
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

/** A file that was opened by its path. */
class OpenContent implements Content {
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

function moved(path: AbsolutePath): Fault {
  return new Fault("CHANGED", path, "something else came to stand there");
}
