import { type Dirent, opendir, readdir, readdirSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import { type AbsolutePath, pathFromBytes, pathToBytes } from "../../profile/path.ts";
import { systemPath } from "../nodes.ts";

/**
 * A folder whose own size is more, or not told, is read in parts, so that its names are bounded while they come. It takes
 * three times as long, so others are read at once: these hold some hundred names on ext4, xfs, btrfs and tmpfs.
 */
const MOST_BYTES_AT_ONCE = 16 * 1024;

/** So many names of a large folder are read at a time. */
const NAMES_AT_A_TIME = 1_024;

/** What a name stands for; links are not followed. */
export type NameKind = "folder" | "link" | "file";

/** Takes one name of a folder; false when that was enough. */
export type TakeName = (name: string, kind: NameKind) => boolean;

/** Tells the names in a folder, in any order; it may stop when one was enough. Rejects with the system's error. */
export type ListNames = (folder: AbsolutePath, stats: Stats, take: TakeName) => Promise<void>;

const listAtOnce = promisify<string | Buffer, { withFileTypes: true; encoding: "latin1" }, Dirent[]>(readdir);
const listAtOnceByBytes = promisify<Buffer, { withFileTypes: true; encoding: "buffer" }, Dirent<Buffer>[]>(
  readdir,
);
const open = promisify(opendir);

/** Names as the kernel gives them: Latin-1 keeps one character for each byte. Read in the pool, off the event loop. */
export const listNames: ListNames = async (folder, stats, take) => {
  const at = systemPath(folder);
  if (isSmall(stats)) {
    takeAll(await listAtOnce(at, { withFileTypes: true, encoding: "latin1" }), take);
    return;
  }
  const handle = await open(at, { encoding: "latin1", bufferSize: NAMES_AT_A_TIME });
  try {
    for (let read = 0; ; read += 1) {
      // The first of a part is read in the pool, and brings the others along.
      const entry = read % NAMES_AT_A_TIME === 0 ? await handle.read() : handle.readSync();
      if (entry === null || !take(nameFrom(entry), kindOf(entry))) return;
    }
  } finally {
    await handle.close();
  }
};

/** The same at once, but for large folders: for the few that were read before, and that are in memory on a fast disk. */
export const listNamesNow: ListNames = async (folder, stats, take) => {
  if (isSmall(stats))
    takeAll(readdirSync(systemPath(folder), { withFileTypes: true, encoding: "latin1" }), take);
  else await listNames(folder, stats, take);
};

function isSmall({ size }: Stats): boolean {
  return size > 0 && size <= MOST_BYTES_AT_ONCE;
}

function takeAll(entries: readonly Dirent[], take: TakeName): void {
  for (const entry of entries) if (!take(nameFrom(entry), kindOf(entry))) return;
}

/** As `listNames`, by the bytes of names: where the file system tells no kinds, Node looks at each. */
export const listBytes: ListNames = async (folder, _, take) => {
  const at = Buffer.from(pathToBytes(folder));
  for (const entry of await listAtOnceByBytes(at, { withFileTypes: true, encoding: "buffer" }))
    if (!take(pathFromBytes(entry.name), kindOf(entry))) return;
};

function nameFrom({ name }: Dirent): string {
  return /[\u0080-\u00ff]/.test(name) ? pathFromBytes(Buffer.from(name, "latin1")) : name;
}

function kindOf(entry: Pick<Dirent, "isDirectory" | "isSymbolicLink">): NameKind {
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "file";
}
