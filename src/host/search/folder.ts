import { accessSync, chmodSync, constants, fstatSync, lstat, lstatSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import type { RepositorySign } from "../../backend/repositories.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { MaskFinder } from "../../profile/mask-index.ts";
import {
  type AbsolutePath,
  joinPath,
  nameOf,
  parentOf,
  pathToBytes,
  ROOT,
  upwards,
} from "../../profile/path.ts";
import { MOST_PATH_BYTES as LINUX_MOST_PATH_BYTES } from "../../profile/written.ts";
import { isGitName, isWholeBy, markOf } from "../git/marks.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { openFolder } from "../open-folder.ts";
import { codeOf } from "../system-error.ts";
import { whenSeen } from "./first-seen.ts";
import { isOfRootAlone } from "./installed.ts";
import type { ListNames, NameKind } from "./list.ts";

/** What a path can have at most, without its NUL (limits.h, `PATH_MAX`): 1,024 bytes with it on macOS. */
const MOST_PATH_BYTES = process.platform === "darwin" ? 1_023 : LINUX_MOST_PATH_BYTES;

/** A folder changed more recently than this may have changed again within the clock's grain: it is read again. */
const GRAIN_MS = 50;

/** What one folder held when it was last read, and when that was. */
export interface Remembered {
  /** Which folder it was, and its times: another folder may have come to stand at the path. */
  readonly stamp: Stamp;
  readonly readMs: number;
  /** Only root can change it. */
  readonly isOfRoot: boolean;
  /** How many names it held. */
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

/** How a folder is read: what tells its names, which masks matter, and whether one more name is in bounds. */
export interface Reading {
  readonly list: ListNames;
  /** By bytes, where that failed: where the file system tells no kinds, Node looks at each name, and needs all its bytes. */
  readonly listAgain: ListNames;
  readonly find: MaskFinder;
  readonly isInBounds: () => boolean;
  /** Which paths are watched for, besides those that masks cover. */
  readonly watch: Watch;
  /** The time now, by the search's clock. */
  readonly nowMs: number;
  /** What the folder held when it was read before. */
  readonly before: Remembered | undefined;
  /** Folders that their owner, this user, has closed are opened, and stay open. */
  readonly opens: boolean;
}

/** True for a path that is no mask's, and that is to be told when it is new. */
export type Watch = (path: AbsolutePath, kind: NameKind) => boolean;

/** True where a folder is as it was when it was read. The change time is the kernel's own; a process can set any other. */
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
 * Reads a folder. What stands there was looked at before, so that a change meanwhile is found the next time. Throws
 * `NOT_ENFORCEABLE` where it can't be read although what is started there could, and `FACTS_UNSTABLE` where it is gone
 * whenever it is listed, and back whenever it is looked at.
 */
export async function readFolder(folder: AbsolutePath, stats: Stats, reading: Reading): Promise<Remembered> {
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

/** What the names in a folder come to. */
interface Contents extends Pick<Remembered, "folders" | "hits" | "links"> {
  readonly entries: number;
  /** Which of the names are there by which git knows a repository's folder. */
  readonly marks: number;
  /** What is named `.git` and is no folder. */
  readonly leads: readonly RepositorySign[];
  readonly watched: ReadonlyMap<string, number>;
}

/**
 * So often a folder may be moved away when it is listed, and stand there again when it is looked at. Beside a program that
 * renames it without a pause one in eight goes on to the next try.
 */
const MOST_TRIES = 10;

/** What the system says when others took a folder away, or put something else in its place: errno(3). */
const MOVED = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ESTALE"]);

/**
 * Lists a folder. One that is gone holds nothing. One that can't be listed is passed over when nobody of this user's could
 * enter it; one that could be entered, or opened up by its owner, hides what it holds and is refused.
 */
async function contentsOf(folder: AbsolutePath, stats: Stats, reading: Reading): Promise<Contents> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await sortedOut(folder, stats, tried === 1 ? reading : { ...reading, list: reading.listAgain });
    } catch (cause) {
      const isClosed = codeOf(cause) === "EACCES";
      if (isClosed && stats.uid !== process.getuid?.() && !canEnter(systemPath(folder))) return EMPTY;
      if (!isClosed && statsOf(folder)?.isDirectory() !== true) return EMPTY;
      if (isClosed && !(reading.opens && tried === 1 && openUp(folder))) throw unsearchable(folder, cause);
      if (tried === MOST_TRIES)
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

async function sortedOut(folder: AbsolutePath, stats: Stats, reading: Reading): Promise<Contents> {
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
    const mask = find(path);
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

/**
 * True for a folder of this user's whose names can be listed while nothing behind them can be looked at: whatever is
 * started there could open it up.
 */
function isClosedByOwner(folder: AbsolutePath, { mode, uid }: Stats): boolean {
  return (mode & 0o100) === 0 && uid === process.getuid?.() && !canEnter(systemPath(folder));
}

/** Lets its owner, this user, read and enter a folder, and remove what is in it. False where that can't be done. */
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
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `lstat`, or null where there is nothing. What a closed folder hides is refused or passed over as in `readFolder`. */
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
  // Too long by a name alone: there is none so long. A link on the way: what it leads to lies elsewhere.
  if (code === "ENAMETOOLONG" && isShortEnough(path)) return null;
  if (code === "ENAMETOOLONG") throw tooDeep(path, path);
  if (code === "ENOTDIR" || code === "ELOOP" || isOthers) return null;
  throw unsearchable(closed, cause);
}

function unsearchable(folder: AbsolutePath, cause: unknown): CofferdamError {
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `the folder ${visible(folder)} can't be searched for what must be protected`,
    {
      hint: "chmod u+rx it, or leave it out of the roots",
      cause,
    },
  );
}

function moving(folder: AbsolutePath, cause: unknown): CofferdamError {
  return new CofferdamError(
    "FACTS_UNSTABLE",
    `the folder ${visible(folder)} kept being moved while it was searched for what must be protected`,
    { hint: "run it again when other programs leave it where it is", cause },
  );
}

/**
 * The path, which was found below `start`. A process inside reaches what lies deeper folder by folder; nothing can be
 * looked up or mounted there (path_resolution(7)). Throws `NOT_ENFORCEABLE` for one that is longer than a path can be.
 */
export function reachable(path: AbsolutePath, start: AbsolutePath): AbsolutePath {
  if (isShortEnough(path)) return path;
  throw tooDeep(path, start);
}

function isShortEnough(path: AbsolutePath): boolean {
  return path.length * 3 <= MOST_PATH_BYTES || pathToBytes(path).length <= MOST_PATH_BYTES;
}

/** Names the first folder below `start` on the way: the rest is too long to read, too. */
function tooDeep(path: AbsolutePath, start: AbsolutePath): CofferdamError {
  const first = [...upwards(path)].find((at) => parentOf(at) === start) ?? path;
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `${visible(first)} leads so deep that a path has more than ${MOST_PATH_BYTES} bytes, where nothing can be protected`,
    {
      hint: "remove what lies that deep, or move it out of the roots",
    },
  );
}
