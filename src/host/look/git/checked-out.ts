import type { RepositorySign } from "../../../backend/repositories.ts";
import {
  type AbsolutePath,
  isInside,
  joinPath,
  nameOf,
  namesBelow,
  parentOf,
  pathToBytes,
  ROOT,
  upwards,
} from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { WorkTurn } from "../../turns.ts";
import type { Likeness } from "../likeness.ts";
import { firstNamesIn } from "../names-in.ts";
import { linkAt, resolvedPath, statsOf, systemPath } from "../nodes.ts";
import { beginningOf, smallTextOf } from "./beginnings.ts";
import { isGitName } from "./marks.ts";
import { UnpackBudget } from "./objects/budget.ts";
import { type GitObject, type GitTreeEntry, oidOf } from "./objects/object.ts";
import { ObjectStore } from "./objects/store.ts";
import { CommittedTrees } from "./objects/trees.ts";
import { followedTarget } from "./path-targets.ts";
import { refsBefore } from "./refs.ts";

/** Maximum of a clone's sources, and of names of one folder, that are looked at. */
const MAX_REPOSITORIES = 20;
const MAX_FILES = 2_000;
/** Maximum of bytes of a settings file or hook. */
const MAX_FILE_BYTES = 4 * 1024 ** 2;
/** Maximum of bytes of a clone's configuration, and of a file that leads to a folder (limits.h, `PATH_MAX`). */
const MAX_CONFIG_BYTES = 256 * 1024;
const MAX_LEAD_BYTES = 4_096 + "gitdir: ".length;

/** Maximum of files and folders, and of bytes, compared for one call. The rest counts as made by the call. */
const MAX_COMPARED = 200_000;
const MAX_COMPARED_BYTES = 256 * 1024 ** 2;

/**
 * Contents of the commits that branches and tags named before a call. A checkout brings them: in the repository itself,
 * in a clone of it or in a new worktree, and in no other place. Branch files unchanged since then name these commits,
 * and a commit's name is a hash of its content; so nothing that the call itself made passes.
 */
export class CommittedBefore implements Disposable {
  readonly #signs: readonly RepositorySign[];
  readonly #startedAt: number;
  readonly #isOnlyRead: (path: AbsolutePath) => boolean;
  readonly #budget = new UnpackBudget();
  readonly #comparing = new Comparing();
  readonly #repositories = new Map<AbsolutePath, Repository>();
  /** Repositories by the top of the working tree. */
  readonly #known: ReadonlyMap<AbsolutePath, RepositorySign>;
  readonly #tops = new Map<AbsolutePath, boolean>();
  readonly #commons = new Map<AbsolutePath, readonly AbsolutePath[]>();
  #before: ReadonlySet<AbsolutePath> | null = null;

  /**
   * `signs`: earlier repositories that the call could write. `startedAt`: start of the call, in milliseconds since
   * 1970. `isOnlyRead`: true for a path that the call could only read; repositories there count if a clone names them.
   */
  constructor(
    signs: readonly RepositorySign[],
    startedAt: number,
    isOnlyRead: (path: AbsolutePath) => boolean = () => false,
  ) {
    this.#signs = signs;
    const tops = signs.filter(({ path }) => isGitName(nameOf(path)));
    // On a case-sensitive volume git finds only one of them.
    const exact = tops.filter(({ path }) => nameOf(path) === ".git");
    this.#known = new Map([...tops, ...exact].map((sign) => [parentOf(sign.path), sign]));
    this.#startedAt = startedAt;
    this.#isOnlyRead = isOnlyRead;
  }

  /** Compares a path with the commit's entry for it: a folder with all its contents, a link with its target. */
  async likenessOf(path: AbsolutePath): Promise<Likeness> {
    const comparing = this.#comparing;
    const top = await this.#topOf(path);
    if (top === null) return "other";
    const names = treeNames(path, top);
    for (const common of this.#commonFolders(top)) {
      const { trees, refs } = await this.#repository(common);
      for (const ref of refs) {
        const commit: Commit = { trees, ref, top, comparing, files: 0, isLinked: false };
        if (await holdsAt(commit, path, names)) return commit.isLinked ? "linked" : "same";
      }
    }
    return "other";
  }

  [Symbol.dispose](): void {
    for (const { objects } of this.#repositories.values()) objects[Symbol.dispose]();
  }

  /** The nearest parent folder that is, or was, the top of the working tree in which git writes the path. */
  async #topOf(path: AbsolutePath): Promise<AbsolutePath | null> {
    for (const at of upwards(parentOf(path))) {
      await this.#comparing.turn.step();
      const isTop = this.#tops.get(at) ?? (this.#known.has(at) || statsOf(joinPath(at, ".git")) !== null);
      this.#tops.set(at, isTop);
      if (isTop) return at;
    }
    return null;
  }

  /** The earlier common folders (objects and branches) of that tree's repository and of its clone sources. */
  #commonFolders(top: AbsolutePath): readonly AbsolutePath[] {
    const known = this.#commons.get(top);
    if (known !== undefined) return known;
    const before = this.#known.get(top);
    const own = commonFolder(before ?? signAt(joinPath(top, ".git")));
    const isTheirs = (folder: AbsolutePath): boolean => this.#commonsBefore().has(folder);
    const sources = own === null ? [] : sourcesOf(own);
    const found = new Set(sources.filter((folder) => isTheirs(folder) || this.#isOnlyRead(folder)));
    if (own !== null && (before !== undefined || isTheirs(own))) found.add(own);
    const commons = [...found].reverse();
    this.#commons.set(top, commons);
    return commons;
  }

  #commonsBefore(): ReadonlySet<AbsolutePath> {
    this.#before ??= new Set(this.#signs.flatMap((sign) => commonFolder(sign) ?? []));
    return this.#before;
  }

  async #repository(common: AbsolutePath): Promise<Repository> {
    const known = this.#repositories.get(common);
    if (known !== undefined) return known;
    const objects = new ObjectStore(joinPath(common, "objects"), this.#budget);
    const refs = await refsBefore(common, this.#startedAt);
    const found = { objects, trees: new CommittedTrees(objects), refs };
    this.#repositories.set(common, found);
    return found;
  }
}

interface Repository {
  readonly objects: ObjectStore;
  readonly trees: CommittedTrees;
  readonly refs: readonly string[];
}

class Comparing {
  readonly turn = new WorkTurn();
  #left = MAX_COMPARED;
  #bytesLeft = MAX_COMPARED_BYTES;

  /** Waits for its turn. False if the maximum is reached. */
  async one(): Promise<boolean> {
    await this.turn.step();
    this.#left -= 1;
    return this.#left >= 0;
  }

  hasRoomFor(bytes: number): boolean {
    this.#bytesLeft -= bytes;
    return this.#bytesLeft >= 0;
  }
}

/** A commit as a working tree would have it, its number of compared files, and whether one has another name. */
interface Commit {
  readonly trees: CommittedTrees;
  readonly ref: string;
  readonly top: AbsolutePath;
  readonly comparing: Comparing;
  files: number;
  isLinked: boolean;
}

function commonFolder({ kind, path }: RepositorySign): AbsolutePath | null {
  const folder = kind === "folder" ? path : folderBehind(path);
  if (folder === null) return null;
  const written = smallTextOf(joinPath(folder, "commondir"), MAX_LEAD_BYTES).trimEnd();
  return written === "" ? folder : led(written, folder);
}

function signAt(path: AbsolutePath): RepositorySign {
  return { kind: statsOf(path)?.isDirectory() === true ? "folder" : "file", path, isWhole: true };
}

/** The repositories of this machine that a clone names as its sources (git-clone(1), GIT URLS). */
function sourcesOf(clone: AbsolutePath): readonly AbsolutePath[] {
  const config = smallTextOf(joinPath(clone, "config"), MAX_CONFIG_BYTES);
  const urls = [...config.matchAll(/^[ \t]*url = (?:file:\/\/)?(\/.+)$/gm)].map(([, path = ""]) => path);
  return urls
    .slice(0, MAX_REPOSITORIES)
    .flatMap((url) => [`${url}/.git`, url, `${url}.git`])
    .flatMap((written) => {
      const found = followedTarget(written, ROOT, statsOf);
      if (found === null || found === "who") return [];
      return statsOf(found.path) === null ? [] : (commonFolder(signAt(found.path)) ?? []);
    });
}

function treeNames(path: AbsolutePath, top: AbsolutePath): readonly string[] {
  return namesBelow(path, top).map((name) => latin1Of(pathToBytes(name)));
}

/** The target of the file `.git` of a worktree or submodule (gitrepository-layout(5)). */
export function folderBehind(file: AbsolutePath): AbsolutePath | null {
  const written = /^gitdir: (.+)$/.exec(smallTextOf(file, MAX_LEAD_BYTES).trimEnd())?.[1];
  return written === undefined ? null : led(written, parentOf(file));
}

function led(written: string, from: AbsolutePath): AbsolutePath | null {
  const found = followedTarget(written, from, statsOf);
  return found === null || found === "who" ? null : found.path;
}

async function holdsAt(
  commit: Commit,
  path: AbsolutePath,
  names = treeNames(path, commit.top),
): Promise<boolean> {
  if (!(await commit.comparing.one())) return false;
  const entry = await commit.trees.entryAt(commit.ref, names);
  return entry !== null && (await holds(commit, entry, path));
}

/** True if everything at the path is in the entry, unchanged. */
async function holds(commit: Commit, entry: GitTreeEntry, path: AbsolutePath): Promise<boolean> {
  const stats = statsOf(path);
  commit.files += 1;
  if (stats === null || commit.files > MAX_FILES || !(await commit.comparing.one())) return false;
  if (stats.isSymbolicLink())
    return (
      entry.kind === "link" && isBlob(pathToBytes(linkAt(path) ?? ""), entry.oid) && holdsEnd(commit, path)
    );
  if (stats.isFile()) {
    const isProgram = (stats.mode & 0o111) !== 0;
    if (entry.kind !== (isProgram ? "program" : "file")) return false;
    if (!commit.comparing.hasRoomFor(stats.size)) return false;
    const found = beginningOf(path, MAX_FILE_BYTES);
    commit.isLinked ||= found?.isLinked === true;
    return found?.isWhole === true && isBlob(found.bytes, entry.oid);
  }
  if (!stats.isDirectory() || entry.kind !== "folder") return false;
  const folder = await commit.trees.folder(entry.oid);
  // Null if they can't be read; slightly more than the maximum if there are too many.
  const names = orNull(() => firstNamesIn(systemPath(path), MAX_FILES + 1));
  for (const name of names ?? []) {
    const inner = folder?.get(latin1Of(pathToBytes(name)));
    if (inner === undefined || !(await holds(commit, inner, joinPath(path, name)))) return false;
  }
  return names !== null;
}

/** The call may have made the link's target: that must be in the commit, too. */
async function holdsEnd(commit: Commit, link: AbsolutePath): Promise<boolean> {
  const end = orNull(() => resolvedPath(link));
  return end !== null && isInside(end, commit.top) && holdsAt(commit, end);
}

function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function isBlob(body: Uint8Array, oid: string): boolean {
  const blob: GitObject = { type: "blob", body: Buffer.from(body) };
  return oidOf(blob, oid) === oid;
}
