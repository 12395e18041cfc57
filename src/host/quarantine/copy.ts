import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { setImmediate as othersTurn } from "node:timers/promises";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { namesInFolder, type OpenFolder, openFolderIn } from "../open-folder.ts";
import { type Entry, type FileSink, readTree, type TreeSink, type TreeSummary } from "./tree.ts";

/**
 * Copies an entry with all that it holds: modes, times of files and, as root, owners. The copy is new: nobody has a file of it
 * open. Every step is one in an open folder, so that a program that puts links in the way leads nowhere. Where it was too large
 * to be read whole, its digest is null, and nothing is left of the copy; nor where that throws node's errors.
 */
export async function copyTree(from: Entry, to: Entry): Promise<TreeSummary> {
  try {
    const copied = await readTree(from, new FolderCopy(to.folder, to.at, to.name));
    if (copied.digest === null) await removeTree(to);
    return copied;
  } catch (cause) {
    await removeTree(to).catch(() => undefined);
    throw cause;
  }
}

/** How long the event loop is held at a time, in milliseconds, and how many names are listed at a time. */
const TURN_MS = 8;
const NAMES_AT_A_TIME = 1_024;

/**
 * Removes an entry with all that it holds, folder by folder in open ones: a link that is put in the way is removed, and leads
 * nowhere. Nothing to remove is fine. Throws node's errors.
 */
export async function removeTree({ folder, name, at }: Entry, turn = { ends: 0 }): Promise<void> {
  if (performance.now() > turn.ends) {
    await othersTurn();
    turn.ends = performance.now() + TURN_MS;
  }
  const path = folder.child(name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) return unlinkSync(path);
  {
    using opened = openFolderIn(folder, name, at);
    if ((stats.mode & 0o700) !== 0o700) chmodSync(opened.child("."), 0o700);
    for (;;) {
      const names = namesInFolder(opened, NAMES_AT_A_TIME);
      if (names.length === 0) break;
      for (const child of names)
        await removeTree({ folder: opened, name: child, at: joinPath(at, name) }, turn);
    }
  }
  rmdirSync(path);
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** Takes what is in one folder; `as`: whatever comes is called so, as the first entry is. */
class FolderCopy implements TreeSink {
  readonly #folder: OpenFolder;
  readonly #at: AbsolutePath;
  readonly #as: string | null;

  constructor(folder: OpenFolder, at: AbsolutePath, as: string | null = null) {
    this.#folder = folder;
    this.#at = at;
    this.#as = as;
  }

  folder(given: string, stats: Stats): TreeSink & Disposable {
    const name = this.#as ?? given;
    mkdirSync(this.#folder.child(name), { mode: 0o700 });
    const opened = openFolderIn(this.#folder, name, this.#at);
    const inner = new FolderCopy(opened, joinPath(this.#at, name));
    return {
      folder: (one, of) => inner.folder(one, of),
      file: (one, of) => inner.file(one, of),
      link: (one, target, of) => inner.link(one, target, of),
      [Symbol.dispose]: () => {
        // Last, because a folder may be one that its owner may not write in.
        if (isRoot()) lchownSync(opened.child("."), stats.uid, stats.gid);
        chmodSync(opened.child("."), stats.mode & 0o777);
        opened[Symbol.dispose]();
      },
    };
  }

  file(given: string, { mode, uid, gid, atime, mtime }: Stats): FileSink {
    const fd = openSync(this.#folder.child(this.#as ?? given), NEW, 0o600);
    return {
      write: (part) => void writeSync(fd, part),
      [Symbol.dispose]: () => {
        try {
          if (isRoot()) fchownSync(fd, uid, gid);
          // Neither setuid nor setgid comes along.
          fchmodSync(fd, mode & 0o777);
          futimesSync(fd, atime, mtime);
        } finally {
          closeSync(fd);
        }
      },
    };
  }

  link(given: string, target: Buffer, { uid, gid }: Stats): void {
    const at = this.#folder.child(this.#as ?? given);
    symlinkSync(target, at);
    if (isRoot()) lchownSync(at, uid, gid);
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
