import { createHash, type Hash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from "node:fs";
import { type AbsolutePath, joinPath, nameOf, parentOf, pathToBytes } from "../../../profile/path.ts";
import { bytesOf } from "../../look/nodes.ts";
import { namesInFolder, type OpenFolder, openFolder, openFolderIn } from "../../look/open-folder.ts";
import { codeOf } from "../../system-error.ts";
import { WorkTurn } from "../../turns.ts";

/** An entry of an open folder, which is found at `at`. */
export interface Entry {
  readonly folder: OpenFolder;
  readonly name: string;
  readonly at: AbsolutePath;
}

/** Facts about one entry of a folder, with all of its content. */
export interface TreeSummary {
  readonly kind: "file" | "folder" | "link" | "other";
  /** Number of files and links, and the bytes of files; counting stopped early if the digest is null. */
  readonly files: number;
  readonly bytes: number;
  /** SHA-256 of names, kinds, contents, executable bits; null if too large or not only files, folders, links. */
  readonly digest: string | null;
}

/** The result of reading an entry. */
export interface TreeRead extends TreeSummary {
  /** True if a file of it had another name when it was opened: by that name it can be changed from elsewhere. */
  readonly isLinked: boolean;
}

/** The same for the entry at a path; no link may be on the way there. Throws node's errors. */
export async function readEntryAt(path: AbsolutePath): Promise<TreeRead> {
  using folder = openFolder(parentOf(path));
  return await readTree({ folder, name: nameOf(path), at: parentOf(path) });
}

/** The digest that `readEntryAt` finds for a file, not a program, or for a folder with it alone, at this path in it. */
export function digestOfFile(content: Uint8Array, below = ""): string {
  const hash = createHash("sha256");
  const names = below === "" ? [] : below.split("/");
  for (const depth of names.keys()) note(hash, "folder", names.slice(0, depth).join("/"), Buffer.alloc(0));
  note(hash, "file", below, Buffer.from(String(content.length)));
  return hash.update(content).digest("hex");
}

/** Takes the entries that are read, each by its name in its folder. */
export interface TreeSink {
  /** Returns a sink for the folder's entries, which is disposed of after the last. */
  folder(name: string, stats: Stats): TreeSink & Disposable;
  /** Returns a sink for parts of the file's content, which is disposed of after the last. */
  file(name: string, stats: Stats): FileSink;
  link(name: string, target: Buffer, stats: Stats): void;
}

/** Takes the content of one file. */
export interface FileSink extends Disposable {
  write(part: Uint8Array): void;
}

/** Maximum of names, folders included, and of bytes read of one entry: more than any settings or hooks hold. */
const MAX_ENTRIES = 50_000;
const MAX_BYTES = 64 * 1024 ** 2;

/** Maximum of bytes that are read of all entries of one call together. */
const MAX_BYTES_OF_ALL = 512 * 1024 ** 2;

/** Budget of bytes for reading many entries: an entry that exceeds it counts as too large. */
export class ReadBudget {
  #left = MAX_BYTES_OF_ALL;

  spend(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** Maximum depth of folders; each is kept open while its entries are read. Deeper ones count as too large. */
const MAX_DEPTH = 100;
const PART_BYTES = 256 * 1024;

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Reads an entry with all of its content, and passes it on. No link is followed, so that a program that changes the
 * tree meanwhile leads nowhere. Throws node's errors, except for unreadable entries; and the sink's errors.
 */
export async function readTree(
  entry: Entry,
  sink: TreeSink | null = null,
  budget = new ReadBudget(),
): Promise<TreeRead> {
  const reader = new TreeReader(budget);
  const kind = await reader.read({ ...entry, path: "", depth: 0, sink });
  const { files, bytes, isLinked } = reader;
  return { kind, files, bytes, digest: reader.digest(), isLinked };
}

interface Ahead extends Entry {
  /** The entry's path from where the reading began; empty there. */
  readonly path: string;
  readonly depth: number;
  readonly sink: TreeSink | null;
}

class TreeReader {
  readonly #hash: Hash = createHash("sha256");
  readonly #budget: ReadBudget;
  #isWhole = true;
  #entries = 0;
  readonly #turn = new WorkTurn();
  files = 0;
  bytes = 0;
  isLinked = false;

  constructor(budget: ReadBudget) {
    this.#budget = budget;
  }

  digest(): string | null {
    return this.#isWhole ? this.#hash.digest("hex") : null;
  }

  async read(ahead: Ahead): Promise<TreeSummary["kind"]> {
    const { folder, name, path, sink } = ahead;
    await this.#turn.step();
    const stats = this.#unlessShut(() => lstatSync(folder.child(name)));
    if (stats === null) return "other";
    this.#entries += 1;
    this.#isWhole &&= this.#entries <= MAX_ENTRIES;
    if (stats.isDirectory()) {
      await this.#readFolder(ahead, stats);
      return "folder";
    }
    this.files += 1;
    this.#isWhole &&= stats.isFile() || stats.isSymbolicLink();
    if (!this.#isWhole) return kindOf(stats);
    if (stats.isFile()) await this.#readFile(ahead);
    else {
      const target = bytesOf(readlinkSync(folder.child(name), { encoding: "buffer" }));
      this.#note("link", path, target);
      sink?.link(name, target, stats);
    }
    return kindOf(stats);
  }

  async #readFolder({ folder, name, at, path, depth, sink }: Ahead, stats: Stats): Promise<void> {
    this.#note("folder", path, Buffer.alloc(0));
    this.#isWhole &&= depth < MAX_DEPTH;
    if (!this.#isWhole) return;
    using opened = openFolderIn(folder, name, at);
    const max = MAX_ENTRIES - this.#entries;
    const names = this.#unlessShut(() => namesInFolder(opened, max + 1)) ?? [];
    using inner = sink?.folder(name, stats) ?? null;
    this.#isWhole &&= names.length <= max;
    for (const child of names.toSorted()) {
      if (!this.#isWhole) return;
      await this.read({
        folder: opened,
        name: child,
        at: joinPath(at, name),
        path: path === "" ? child : `${path}/${child}`,
        depth: depth + 1,
        sink: inner,
      });
    }
  }

  async #readFile({ folder, name, path, sink }: Ahead): Promise<void> {
    const fd = this.#unlessShut(() => openSync(folder.child(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    if (fd === null) return;
    try {
      const stats = fstatSync(fd);
      this.bytes += stats.size;
      this.isLinked ||= stats.nlink > 1;
      this.#isWhole &&= stats.isFile() && this.bytes <= MAX_BYTES && this.#budget.spend(stats.size);
      if (!this.#isWhole) return;
      this.#note((stats.mode & 0o111) === 0 ? "file" : "program", path, Buffer.from(String(stats.size)));
      using taken = sink?.file(name, stats) ?? null;
      const buffer = Buffer.alloc(Math.min(PART_BYTES, Math.max(1, stats.size)));
      for (let left = stats.size; left > 0; ) {
        const read = readSync(fd, buffer, 0, Math.min(buffer.length, left), null);
        // The file was cut while it was read: its content differs from the parts passed on.
        this.#isWhole &&= read > 0;
        if (read === 0) return;
        left -= read;
        const part = buffer.subarray(0, read);
        this.#hash.update(part);
        taken?.write(part);
        await this.#turn.step();
      }
    } finally {
      closeSync(fd);
    }
  }

  /** The result of a step; null if the owner has closed the entry, which is their right: then it is not read whole. */
  #unlessShut<Read>(step: () => Read): Read | null {
    try {
      return step();
    } catch (cause) {
      if (codeOf(cause) !== "EACCES") throw cause;
      this.#isWhole = false;
      return null;
    }
  }

  #note(kind: string, path: string, more: Uint8Array): void {
    note(this.#hash, kind, path, more);
  }
}

function note(hash: Hash, kind: string, path: string, more: Uint8Array): void {
  const name = pathToBytes(path);
  hash.update(`${kind}\0${name.length}\0`).update(name).update(`\0${more.length}\0`).update(more);
}

function kindOf(stats: Stats): TreeSummary["kind"] {
  return stats.isFile() ? "file" : stats.isSymbolicLink() ? "link" : "other";
}
