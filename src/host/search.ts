import { accessSync, constants, lstatSync, readdirSync, type Stats } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RepositorySign } from "../backend/repositories.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { MaskFinder } from "../profile/mask-index.ts";
import {
  type AbsolutePath,
  joinPath,
  nameOf,
  parentOf,
  pathFromBytes,
  pathToBytes,
  ROOT,
  upwards,
} from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import { statsOf, systemPath } from "./nodes.ts";
import { type Region, regionsOf } from "./search-regions.ts";

/** More folders than this below one grant are not searched: the call is refused instead. */
const MOST_FOLDERS = 200_000;

/** No longer path can be looked up or mounted on (path_resolution(7), `PATH_MAX` less the NUL). */
const MOST_PATH_BYTES = 4_095;

/** How long the search may hold the event loop before it lets others on. */
const TURN_MS = 8;

/** A folder changed more recently than this may have changed again within the clock's grain: it is read again. */
const GRAIN_MS = 50;

/** What one folder held when it was last read, and when that was. */
interface Remembered {
  /** Which folder it was, and its times: another folder may have come to stand at the path. */
  readonly state: string;
  readonly readMs: number;
  readonly folders: readonly string[];
  readonly hits: readonly Hit[];
  readonly signs: readonly RepositorySign[];
}

/** What a search found. */
export interface Found {
  /** Existing paths that a glob mask covers. */
  readonly hits: readonly AbsolutePath[];
  readonly signs: readonly RepositorySign[];
}

/** A name that a mask covers. */
interface Hit {
  readonly name: string;
  readonly atMost: "none" | "read";
}

/**
 * Finds what glob masks cover in granted folders. It remembers folders by identity and change time, so that a second
 * search only looks at folders that changed. Links are not followed: what they lead to is granted elsewhere or hidden.
 */
export class MaskSearch {
  readonly #regions = new WeakMap<Profile, readonly Region[]>();
  readonly #memory = new Map<string, Map<AbsolutePath, Remembered>>();

  /**
   * Existing paths that a glob mask of the profile covers and that an entry would give more. Below one that is hidden
   * only those of `read` masks count: what they protect must not be moved away with the folder that hides it.
   * Throws `NOT_ENFORCEABLE` when a grant holds more than 200,000 folders, or some that lie too deep for a path.
   */
  async find(profile: Profile): Promise<Found> {
    const hits: AbsolutePath[] = [];
    const signs = new Map<AbsolutePath, RepositorySign>();
    for (const region of this.#regionsOf(profile)) {
      const found = await this.#searchRegion(region);
      hits.push(...found.hits);
      for (const sign of found.signs) signs.set(sign.path, sign);
    }
    return { hits: [...new Set(hits)], signs: [...signs.values()] };
  }

  #regionsOf(profile: Profile): readonly Region[] {
    const known = this.#regions.get(profile);
    if (known !== undefined) return known;
    const regions = regionsOf(profile);
    this.#regions.set(profile, regions);
    return regions;
  }

  async #searchRegion({ start, key, find, findLasting }: Region): Promise<Found> {
    const before = this.#memory.get(key);
    const memory = new Map<AbsolutePath, Remembered>();
    const found: AbsolutePath[] = [];
    const signs: RepositorySign[] = [];
    const waiting = [{ folder: start, isHidden: false }];
    let turnEnds = performance.now() + TURN_MS;
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { folder, isHidden } = next;
      const seen =
        isHidden && findLasting !== null
          ? readHidden(folder, before?.get(folder), findLasting)
          : readFolder(folder, before?.get(folder), find);
      if (seen === null) continue;
      memory.set(folder, seen);
      signs.push(...seen.signs);
      if (memory.size > MOST_FOLDERS) throw tooLarge(start);
      const hidden = new Set<string>();
      for (const hit of seen.hits) {
        found.push(reachable(joinPath(folder, hit.name), start));
        if (hit.atMost === "none") hidden.add(hit.name);
      }
      for (const name of seen.folders) {
        const isBelowHidden = isHidden || hidden.has(name);
        if (!isBelowHidden || findLasting !== null)
          waiting.push({ folder: reachable(joinPath(folder, name), start), isHidden: isBelowHidden });
      }
      if (performance.now() > turnEnds) {
        await nextTurn();
        turnEnds = performance.now() + TURN_MS;
      }
    }
    this.#memory.set(key, memory);
    return { hits: found, signs };
  }
}

function readFolder(
  folder: AbsolutePath,
  before: Remembered | undefined,
  find: MaskFinder,
): Remembered | null {
  const stats = statsToSearch(folder);
  if (stats === null || !stats.isDirectory()) return null;
  const state = [stats.dev, stats.ino, stats.mtimeMs, stats.ctimeMs].join(" ");
  // The change time is the kernel's own; a process can set any other.
  if (before?.state === state && before.readMs - stats.ctimeMs > GRAIN_MS) return before;
  if (isClosedByOwner(folder, stats)) throw unsearchable(folder, null);
  const readMs = Date.now();
  const folders: string[] = [];
  const hits: Hit[] = [];
  const names = namesIn(folder, stats.uid);
  for (const { name, isFolder } of names) {
    if (isFolder) folders.push(name);
    const mask = find(joinPath(folder, name));
    if (mask !== null) hits.push({ name, atMost: mask.atMost });
  }
  return { state, readMs, folders, hits, signs: signsIn(folder, names) };
}

function signsIn(folder: AbsolutePath, names: readonly NameIn[]): readonly RepositorySign[] {
  const has = (name: string, isFolder?: boolean): boolean =>
    names.some((one) => one.name === name && (isFolder === undefined || one.isFolder === isFolder));
  const isWhole =
    has("HEAD", false) && ((has("objects", true) && has("refs", true)) || has("commondir", false));
  const own: readonly RepositorySign[] =
    isWhole || nameOf(folder) === ".git" ? [{ kind: "folder", path: folder, isWhole }] : [];
  if (!has(".git", false)) return own;
  const path = joinPath(folder, ".git");
  const kind = statsOf(path)?.isSymbolicLink() === true ? "link" : "file";
  return [...own, { kind, path, isWhole: true }];
}

/**
 * True for a folder of this user's whose names can be listed while nothing behind them can be looked at: whatever is
 * started there could open it up.
 */
function isClosedByOwner(folder: AbsolutePath, { mode, uid }: Stats): boolean {
  return (mode & 0o100) === 0 && uid === process.getuid?.() && !canEnter(systemPath(folder));
}

interface NameIn {
  readonly name: string;
  readonly isFolder: boolean;
}

/** What a hidden folder holds; one that can't be read shows nothing inside either. */
function readHidden(
  folder: AbsolutePath,
  before: Remembered | undefined,
  find: MaskFinder,
): Remembered | null {
  try {
    return readFolder(folder, before, find);
  } catch {
    return null;
  }
}

/**
 * Names in a folder, byte for byte. One that can't be listed is passed over when nobody of this user's could enter it;
 * one that could be entered, or opened up by its owner, hides what it holds and is refused.
 */
function namesIn(folder: AbsolutePath, ownerUid: number): readonly NameIn[] {
  const at = systemPath(folder);
  try {
    const plain = readdirSync(at, { withFileTypes: true, encoding: "utf8" });
    if (plain.every((entry) => !entry.name.includes("\uFFFD")))
      return plain.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
    const raw = readdirSync(at, { withFileTypes: true, encoding: "buffer" });
    return raw.map((entry) => ({ name: pathFromBytes(entry.name), isFolder: entry.isDirectory() }));
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    if (code === "EACCES" && ownerUid !== process.getuid?.() && !canEnter(at)) return [];
    throw unsearchable(folder, cause);
  }
}

/** `lstat`, or null where there is nothing. What a closed folder hides is refused or passed over as in `namesIn`. */
function statsToSearch(path: AbsolutePath): Stats | null {
  try {
    return lstatSync(systemPath(path), { throwIfNoEntry: false }) ?? null;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    const closed = [...upwards(parentOf(path))].find((at) => statsOf(at) !== null) ?? ROOT;
    const isOthers = code === "EACCES" && statsOf(closed)?.uid !== process.getuid?.();
    // Too long by a name alone: there is none so long. A link on the way: what it leads to lies elsewhere.
    if (code === "ENAMETOOLONG" && isShortEnough(path)) return null;
    if (code === "ENAMETOOLONG") throw tooDeep(path, path);
    if (code === "ENOTDIR" || code === "ELOOP" || isOthers) return null;
    throw unsearchable(closed, cause);
  }
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

function canEnter(folder: string | Buffer): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The path, which was found below `start`. A process inside reaches what lies deeper folder by folder; nothing can be
 * mounted there.
 */
function reachable(path: AbsolutePath, start: AbsolutePath): AbsolutePath {
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

function tooLarge(start: AbsolutePath): CofferdamError {
  return new CofferdamError(
    "NOT_ENFORCEABLE",
    `${start} holds more than ${MOST_FOLDERS} folders, too many to search for masks`,
    {
      hint: "narrow the root, or begin the masks with the folder they are about",
    },
  );
}
