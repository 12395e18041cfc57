import { type Dirent, opendir, readdir, readdirSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import { type AbsolutePath, pathFromBytes, pathToBytes } from "../../../profile/path.ts";
import { systemPath } from "../nodes.ts";

/**
 * A folder whose own size is larger, or unknown, is read in parts, so that its names are bounded while they come. That
 * takes three times as long; smaller folders hold some hundred names on ext4, xfs, btrfs and tmpfs.
 */
const MAX_BYTES_AT_ONCE = 16 * 1024;

const NAMES_AT_A_TIME = 1_024;

/** The kind of a name; links are not followed. */
export type NameKind = "folder" | "link" | "file";

/** Takes one name of a folder; false when that was enough. */
export type TakeName = (name: string, kind: NameKind) => boolean;

/** Lists the names in a folder, in any order; it may stop when one was enough. Rejects with the system's error. */
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

/** The same synchronously, except for large folders: for few that were read before, on a fast disk. */
export const listNamesNow: ListNames = async (folder, stats, take) => {
  if (isSmall(stats))
    takeAll(readdirSync(systemPath(folder), { withFileTypes: true, encoding: "latin1" }), take);
  else await listNames(folder, stats, take);
};

function isSmall({ size }: Stats): boolean {
  return size > 0 && size <= MAX_BYTES_AT_ONCE;
}

function takeAll(entries: readonly Dirent[], take: TakeName): void {
  for (const entry of entries) if (!take(nameFrom(entry), kindOf(entry))) return;
}

/** The same by the bytes of names, for file systems that report no kinds: Node looks at each name. */
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
