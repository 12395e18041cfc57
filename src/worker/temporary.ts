import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { joinPath } from "../profile/path.ts";
import { at, codeOf, Fault } from "./faults.ts";
import { tryQuietly } from "./folders.ts";
import type { OpenFolder } from "./grants.ts";
import { statOf } from "./names.ts";
import { isSameInode } from "./node.ts";

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Codes of a link that is refused for what the file or file system is, and not for what stands there. */
const NO_LINKS = ["EPERM", "EMLINK", "EOPNOTSUPP", "ENOSYS"];

/**
 * A new file beside the one that it becomes, private until it does. It is gone when it is disposed of, unless it has
 * come into its place. A name that is taken is `EXISTS`, and stays.
 */
export class Temporary implements Disposable {
  readonly #folder: OpenFolder;
  readonly #name: string;
  readonly #fd: number;
  #isPlaced = false;

  constructor(folder: OpenFolder, name: string) {
    this.#folder = folder;
    this.#name = name;
    this.#fd = at(joinPath(folder.path, name), () => openSync(folder.descriptor.child(name), NEW, 0o600));
  }

  append(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#fd, bytes, from);
  }

  /**
   * Gives it the mode, and where that is permitted the owner and group, that the file has which it replaces; never
   * setuid or setgid. The mode comes last: a change of owner may take from it.
   */
  dress(old: BigIntStats | null): void {
    if (old === null) {
      fchmodSync(this.#fd, 0o666 & ~process.umask());
      return;
    }
    const { uid, gid } = this.stat();
    if (uid !== old.uid || gid !== old.gid)
      if (!tryQuietly(() => fchownSync(this.#fd, Number(old.uid), Number(old.gid))) && gid !== old.gid)
        tryQuietly(() => fchownSync(this.#fd, -1, Number(old.gid)));
    fchmodSync(this.#fd, Number(old.mode & 0o777n));
  }

  sync(): void {
    fdatasyncSync(this.#fd);
  }

  stat(): BigIntStats {
    return fstatSync(this.#fd, { bigint: true });
  }

  /** Puts it in the place of what stands at a name, at once. */
  replace(name: string): void {
    this.#demandOwn(this.#name);
    renameSync(this.#folder.descriptor.child(this.#name), this.#folder.descriptor.child(name));
    this.#isPlaced = true;
    this.#demandOwn(name);
  }

  /** Puts it at a name where nothing stands. Throws `EEXIST` when something does. */
  appear(name: string): void {
    this.#demandOwn(this.#name);
    placeAnew(this.#folder, this.#name, this.#folder, name);
    this.#isPlaced = true;
    this.#demandOwn(name);
  }

  /** Throws `CHANGED` when another file has come to stand at the name. */
  #demandOwn(name: string): void {
    const stat = statOf(this.#folder.descriptor, name);
    if (stat === null || !isSameInode(stat, this.stat()))
      throw new Fault("CHANGED", joinPath(this.#folder.path, name), "another file was put there");
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    if (!this.#isPlaced) tryQuietly(() => unlinkSync(this.#folder.descriptor.child(this.#name)));
  }
}

/**
 * Renames what is no folder to a name where nothing stands: a second name that fails where one is, and then the first
 * one goes. Where links can't be made, an empty file of ours takes the name, and is replaced. Throws `EEXIST`, `EXDEV`.
 */
export function placeAnew(from: OpenFolder, name: string, to: OpenFolder, newName: string): void {
  try {
    from.descriptor.link(name, to.descriptor, newName);
  } catch (error) {
    if (!NO_LINKS.includes(codeOf(error) ?? "")) throw error;
    const [old, fresh] = [from.descriptor.child(name), to.descriptor.child(newName)];
    closeSync(openSync(fresh, NEW, 0o600));
    try {
      renameSync(old, fresh);
    } catch (cause) {
      tryQuietly(() => unlinkSync(fresh));
      throw cause;
    }
    return;
  }
  try {
    unlinkSync(from.descriptor.child(name));
  } catch (error) {
    tryQuietly(() => unlinkSync(to.descriptor.child(newName)));
    throw error;
  }
}
