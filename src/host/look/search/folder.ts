import { chmodSync, constants, fstatSync, lstat, lstatSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import type { RepositorySign } from "../../../backend/repositories.ts";
import { CofferdamError, visible } from "../../../errors.ts";
import {
  type AbsolutePath,
  joinPath,
  nameOf,
  parentOf,
  pathToBytes,
  ROOT,
  upwards,
} from "../../../profile/path.ts";
import type { Mask } from "../../../profile/profile.ts";
import { MAX_PATH_BYTES as LINUX_MAX_PATH_BYTES } from "../../../profile/written.ts";
import { codeOf } from "../../system-error.ts";
import { isGitName, isWholeBy, markOf } from "../git/marks.ts";
import { canAccess, statsOf, systemPath } from "../nodes.ts";
import { openFolder } from "../open-folder.ts";
import { whenSeen } from "./first-seen.ts";
import { isOfRootAlone } from "./installed.ts";
import type { ListNames, NameKind } from "./list.ts";

/** Maximum of bytes of a path, without its NUL (limits.h, `PATH_MAX`): 1,024 bytes with it on macOS. */
const MAX_PATH_BYTES = process.platform === "darwin" ? 1_023 : LINUX_MAX_PATH_BYTES;

/** A folder changed more recently than this may have changed again within the clock's grain: it is read again. */
const GRAIN_MS = 50;

/** The content of one folder when it was last read, and the time of that read. */
export interface Remembered {
  /** Identity and times of the folder: another folder may be at the path by now. */
  readonly stamp: Stamp;
  readonly readMs: number;
  readonly isOfRoot: boolean;
  readonly entries: number;
  readonly folders: readonly string[];
  readonly hits: readonly Hit[];
  readonly signs: readonly RepositorySign[];
  readonly links: readonly string[];
  /** Names that are watched for, each with when it was first seen, by the search's clock; null for none. */
  readonly watched: ReadonlyMap<string, number> | null;
}

type Stamp = Pick<Stats, "dev" | "ino" | "mtimeMs" | "ctimeMs">;

/** A name that a mask covers. */
export interface Hit {
  readonly name: string;
  readonly atMost: "none" | "read";
}

/** Finds a mask that covers a name, or null. */
export type NameFinder = (path: AbsolutePath, kind: NameKind) => Mask | null;

/** How a folder is read: the source of its names, the masks that matter, and whether one more name is in bounds. */
export interface FolderReading {
  readonly list: ListNames;
  /** Lists names as bytes, if `list` failed. If no kinds are reported, Node looks at each name, with all its bytes. */
  readonly listAgain: ListNames;
  readonly find: NameFinder;
  readonly isInBounds: () => boolean;
  readonly watch: WatchFilter;
  readonly nowMs: number;
  readonly before: Remembered | undefined;
  /** True if folders that their owner, this user, has closed are opened, and stay open. */
  readonly opens: boolean;
}

/** True for a path that no mask covers, and that is to be reported when it is new. */
export type WatchFilter = (path: AbsolutePath, kind: NameKind) => boolean;

/** True if a folder is as it was when it was read. The change time is the kernel's own; a process can set any other. */
export function isAsRead({ stamp, readMs }: Remembered, stats: Stats): boolean {
  return (
    stats.ctimeMs === stamp.ctimeMs &&
    stats.ino === stamp.ino &&
    stats.dev === stamp.dev &&
    stats.mtimeMs === stamp.mtimeMs &&
    readMs - stamp.ctimeMs > GRAIN_MS
  );
}

/**
 * Reads a folder. Its `stats` were read before, so that a change meanwhile is found the next time. Throws
 * `NOT_ENFORCEABLE` if it can't be read although a program started there could read it. Throws `FACTS_UNSTABLE` if it
 * is gone whenever it is listed, and back whenever it is looked at.
 */
export async function readFolder(
  folder: AbsolutePath,
  stats: Stats,
  reading: FolderReading,
): Promise<Remembered> {
  if (isClosedByOwner(folder, stats) && !(reading.opens && openUp(folder))) throw unsearchable(folder, null);
  const readMs = Date.now();
  const { dev, ino, mtimeMs, ctimeMs } = stats;
  const { marks, leads, watched, ...seen } = await contentsOf(folder, stats, reading);
  const signs = [...signsAt(folder, marks), ...leads];
  return {
    stamp: { dev, ino, mtimeMs, ctimeMs },
    readMs,
    isOfRoot: isOfRootAlone(stats),
    ...seen,
    signs,
    watched: watched.size === 0 ? null : watched,
  };
}

interface Contents extends Pick<Remembered, "folders" | "hits" | "links"> {
  readonly entries: number;
  /** Bits of the names by which git recognizes a repository's folder. */
  readonly marks: number;
  /** Files and links named `.git`. */
  readonly leads: readonly RepositorySign[];
  readonly watched: ReadonlyMap<string, number>;
}

/** Maximum of tries for a folder moved meanwhile. If it is renamed without a pause, one try in eight fails. */
const MAX_TRIES = 10;

/** Errors of the system if a folder was removed, or replaced by something else: errno(3). */
const MOVED = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ESTALE"]);

/** Lists a folder; a missing one is empty. An unlistable one is skipped only if no process of this user could enter. */
async function contentsOf(folder: AbsolutePath, stats: Stats, reading: FolderReading): Promise<Contents> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await sortedOut(folder, stats, tried === 1 ? reading : { ...reading, list: reading.listAgain });
    } catch (cause) {
      const isClosed = codeOf(cause) === "EACCES";
      if (isClosed && stats.uid !== process.getuid?.() && !canEnter(systemPath(folder))) return EMPTY;
      if (!isClosed && statsOf(folder)?.isDirectory() !== true) return EMPTY;
      if (isClosed && !(reading.opens && tried === 1 && openUp(folder))) throw unsearchable(folder, cause);
      if (tried === MAX_TRIES)
        throw MOVED.has(codeOf(cause)) ? moving(folder, cause) : unsearchable(folder, cause);
    }
  }
}

const EMPTY: Contents = {
  entries: 0,
  folders: [],
  hits: [],
  links: [],
  marks: 0,
  leads: [],
  watched: new Map(),
};

async function sortedOut(folder: AbsolutePath, stats: Stats, reading: FolderReading): Promise<Contents> {
  const { list, find, watch, isInBounds } = reading;
  const folders: string[] = [];
  const hits: Hit[] = [];
  const links: string[] = [];
  const leads: RepositorySign[] = [];
  const watched = new Map<string, number>();
  let [entries, marks] = [0, 0];
  const sinceMs = whenSeen(folder, stats, reading);
  await list(folder, stats, (name, kind) => {
    entries += 1;
    marks |= markBy(name, kind);
    const path = joinPath(folder, name);
    if (kind === "folder") folders.push(name);
    else if (isGitName(name)) leads.push({ kind, path, isWhole: true });
    if (kind === "link") links.push(name);
    const mask = find(path, kind);
    if (mask !== null) hits.push({ name, atMost: mask.atMost });
    if (watch(path, kind)) watched.set(name, sinceMs(name, kind));
    return isInBounds();
  });
  return { entries, folders, hits, links, marks, leads, watched };
}

function markBy(name: string, kind: NameKind): number {
  const mark = markOf(name);
  return mark === 1 && kind === "folder" ? 0 : mark;
}

function signsAt(folder: AbsolutePath, marks: number): readonly RepositorySign[] {
  const isWhole = isWholeBy(marks);
  return isWhole || isGitName(nameOf(folder)) ? [{ kind: "folder", path: folder, isWhole }] : [];
}

/** True for a folder of this user's whose names can be listed but not looked at: a program there could open it up. */
function isClosedByOwner(folder: AbsolutePath, { mode, uid }: Stats): boolean {
  return (mode & 0o100) === 0 && uid === process.getuid?.() && !canEnter(systemPath(folder));
}

/** Lets its owner, this user, read and enter a folder, and remove its content. False if that fails. */
function openUp(folder: AbsolutePath): boolean {
  try {
    using opened = openFolder(folder);
    chmodSync(opened.self(), (fstatSync(opened.fd).mode & 0o7777) | 0o700);
    return true;
  } catch {
    return false;
  }
}

/** True for a folder whose names this process can look up. */
export function canEnter(folder: string | Buffer): boolean {
  return canAccess(folder, constants.X_OK);
}

/** `lstat`, or null if nothing is there. Paths in a closed folder are refused or skipped as in `readFolder`. */
export function statsToSearch(path: AbsolutePath): Stats | null {
  try {
    return lstatSync(systemPath(path), { throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    return passedOver(path, cause);
  }
}

const look: (path: string | Buffer) => Promise<Stats> = promisify(lstat);

/** The same, off the event loop. */
export async function statsToSearchLater(path: AbsolutePath): Promise<Stats | null> {
  try {
    return await look(systemPath(path));
  } catch (cause) {
    return codeOf(cause) === "ENOENT" ? null : passedOver(path, cause);
  }
}

function passedOver(path: AbsolutePath, cause: unknown): null {
  const code = codeOf(cause);
  const closed = [...upwards(parentOf(path))].find((at) => statsOf(at) !== null) ?? ROOT;
  const isOthers = code === "EACCES" && statsOf(closed)?.uid !== process.getuid?.();
  // Too long by a name alone: no name is that long. A link on the way: its target lies elsewhere.
  if (code === "ENAMETOOLONG" && isShortEnough(path)) return null;
  if (code === "ENAMETOOLONG") throw tooDeep(path, path);
  if (code === "ENOTDIR" || code === "ELOOP" || isOthers) return null;
  throw unsearchable(closed, cause);
}

function unsearchable(folder: AbsolutePath, cause: unknown): CofferdamError {
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `the folder ${visible(folder)} can't be searched for protected files`,
    { hint: "make it readable (`chmod u+rx`), or move it out of the roots", cause },
  );
}

function moving(folder: AbsolutePath, cause: unknown): CofferdamError {
  return new CofferdamError(
    "FACTS_UNSTABLE",
    `the folder ${visible(folder)} was moved while it was searched for protected files`,
    { hint: "run it again when no other program moves it", cause },
  );
}

/**
 * The path, which was found below `start`. A process inside reaches deeper places folder by folder; nothing can be
 * looked up or mounted there (path_resolution(7)). Throws `NOT_ENFORCEABLE` if it is longer than a path can be.
 */
export function reachable(path: AbsolutePath, start: AbsolutePath): AbsolutePath {
  if (isShortEnough(path)) return path;
  throw tooDeep(path, start);
}

function isShortEnough(path: AbsolutePath): boolean {
  return path.length * 3 <= MAX_PATH_BYTES || pathToBytes(path).length <= MAX_PATH_BYTES;
}

function tooDeep(path: AbsolutePath, start: AbsolutePath): CofferdamError {
  const first = [...upwards(path)].find((at) => parentOf(at) === start) ?? path;
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `${visible(first)} contains a path of more than ${MAX_PATH_BYTES} bytes, which can't be protected`,
    { hint: "remove the deep folders, or move them out of the roots" },
  );
}
