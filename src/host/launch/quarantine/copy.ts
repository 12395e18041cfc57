import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  mkdirSync,
  openSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { type OpenFolder, openFolderIn } from "../../look/open-folder.ts";
import { removeTree } from "./remove.ts";
import { type Entry, type FileSink, ReadBudget, readTree, type TreeSink, type TreeSummary } from "./tree.ts";

/**
 * Copies an entry with all of its content: modes, times of files and, as root, owners. No other process has a file of
 * the new copy open. Every step is one in an open folder, so that links put in the way lead nowhere. If it was too
 * large to be read whole, its digest is null, and nothing is left of the copy; nor if this throws node's errors.
 */
export async function copyTree(from: Entry, to: Entry, budget = new ReadBudget()): Promise<TreeSummary> {
  try {
    const copied = await readTree(from, new FolderCopy(to.folder, to.at, to.name), budget);
    if (copied.digest === null) await removeTree(to);
    return copied;
  } catch (cause) {
    await removeTree(to).catch(() => undefined);
    throw cause;
  }
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** Takes the entries of one folder; `as` replaces the name of each entry, as for the first one. */
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
        using ended = opened;
        // Last, because the owner may not be allowed to write in the folder.
        if (isRoot()) chownSync(ended.self(), stats.uid, stats.gid);
        chmodSync(ended.self(), stats.mode & 0o777);
      },
    };
  }

  file(given: string, { mode, uid, gid, atimeMs, mtimeMs }: Stats): FileSink {
    const fd = openSync(this.#folder.child(this.#as ?? given), NEW, 0o600);
    return {
      // As many writes as needed: on a disk that is nearly full one may write less than it was given (write(2)).
      write: (part) => writeFileSync(fd, part),
      [Symbol.dispose]: () => {
        try {
          if (isRoot()) fchownSync(fd, uid, gid);
          // Neither setuid nor setgid is copied.
          fchmodSync(fd, mode & 0o777);
          // As `Date` they would be whole milliseconds, rounded up.
          futimesSync(fd, atimeMs / 1_000, mtimeMs / 1_000);
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
