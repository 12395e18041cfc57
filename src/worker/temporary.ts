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
import { at, codeOf, WorkerFault } from "./faults.ts";
import { tryQuietly } from "./folders.ts";
import type { GrantedFolder } from "./grants.ts";
import { statOf } from "./names.ts";
import { isSameInode } from "./node.ts";

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** Codes of a link that is refused because of the file or file system, not because the name is taken. */
const NO_LINKS = ["EPERM", "EMLINK", "EOPNOTSUPP", "ENOSYS"];

/** A private new file beside its target. Disposal removes it unless it was placed. A taken name is `EXISTS`. */
export class Temporary implements Disposable {
  readonly #folder: GrantedFolder;
  readonly #name: string;
  readonly #fd: number;
  #isPlaced = false;

  constructor(folder: GrantedFolder, name: string) {
    this.#folder = folder;
    this.#name = name;
    this.#fd = at(joinPath(folder.path, name), () => openSync(folder.descriptor.child(name), NEW, 0o600));
  }

  append(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) from += writeSync(this.#fd, bytes, from);
  }

  /**
   * Takes the mode, and if permitted owner and group, of the old file; never setuid or setgid. The mode is set last:
   * a change of owner may change it.
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

  /** Replaces the file at a name, atomically. */
  replace(name: string): void {
    this.#demandOwn(this.#name);
    renameSync(this.#folder.descriptor.child(this.#name), this.#folder.descriptor.child(name));
    this.#isPlaced = true;
    this.#demandOwn(name);
  }

  /** Puts it at a free name. Throws `EEXIST` if the name is taken. */
  appear(name: string): void {
    this.#demandOwn(this.#name);
    placeAnew(this.#folder, this.#name, this.#folder, name);
    this.#isPlaced = true;
    this.#demandOwn(name);
  }

  #demandOwn(name: string): void {
    const stat = statOf(this.#folder.descriptor, name);
    if (stat === null || !isSameInode(stat, this.stat()))
      throw new WorkerFault("CHANGED", joinPath(this.#folder.path, name), "another file took its place");
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
    if (!this.#isPlaced) tryQuietly(() => unlinkSync(this.#folder.descriptor.child(this.#name)));
  }
}

/**
 * Renames anything but a folder to a free name: by a second name, which fails if it is taken, and removal of the first.
 * Without links, an empty file of ours takes the name, and is replaced. Throws `EEXIST`, `EXDEV`.
 */
export function placeAnew(from: GrantedFolder, name: string, to: GrantedFolder, newName: string): void {
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
