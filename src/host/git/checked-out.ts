import { constants, readdirSync } from "node:fs";
import type { RepositorySign } from "../../backend/repositories.ts";
import {
  type AbsolutePath,
  isInside,
  joinPath,
  namesOf,
  parentOf,
  pathToBytes,
  ROOT,
} from "../../profile/path.ts";
import { firstNamesIn } from "../names-in.ts";
import { linkAt, resolvedPath, statsOf, systemPath } from "../nodes.ts";
import { openPlainFile } from "../plain-file.ts";
import { ledBy } from "./led.ts";
import { UnpackBudget } from "./objects/budget.ts";
import { type GitObject, oidOf, type TreeEntry } from "./objects/object.ts";
import { ObjectStore } from "./objects/store.ts";
import { CommittedTrees } from "./objects/trees.ts";

/** More branches and tags than this are not looked at, nor more repositories, nor more files of one folder. */
const MAX_REFS = 500;
const MAX_REF_FOLDERS = 2_000;
const MAX_REPOSITORIES = 20;
const MAX_FILES = 2_000;
/** A larger file is no settings, and no hook. */
const MAX_FILE_BYTES = 4 * 1024 ** 2;
const MAX_TEXT_BYTES = 8 * 1024 ** 2;

/** So far the times of a file system may lag behind the clock. */
const CLOCK_GRAIN_MS = 50;

/**
 * What commits hold to which branches and tags led before a call: a checkout brings it, in the repository itself, in a clone of it
 * or in a new worktree. Which commits these are is told by files of branches that did not change since, and a commit's name says
 * what it holds; so nothing that the call itself made passes.
 */
export class HeldBefore implements Disposable {
  readonly #signs: readonly RepositorySign[];
  readonly #startedAt: number;
  readonly #isOnlyRead: (path: AbsolutePath) => boolean;
  readonly #budget = new UnpackBudget();
  readonly #repositories = new Map<AbsolutePath, Repository>();

  /**
   * `signs`: repositories that there were before where the call could write. `startedAt`: when the call began, in milliseconds since
   * 1970. `isOnlyRead`: what the call could read and not change; repositories there count as well, where a clone says that it is of one.
   */
  constructor(
    signs: readonly RepositorySign[],
    startedAt: number,
    isOnlyRead: (path: AbsolutePath) => boolean = () => false,
  ) {
    this.#signs = signs;
    this.#startedAt = startedAt;
    this.#isOnlyRead = isOnlyRead;
  }

  /** True where what stands at a path is what such a commit has there. Folders count with all that is in them, links with what they lead to. */
  async isCheckedOut(path: AbsolutePath): Promise<boolean> {
    const tops = topsAbove(path, this.#signs);
    const sources = tops.flatMap(sourcesOf).filter((source) => this.#isOnlyRead(source));
    for (const common of new Set([...commonFolders(path, this.#signs), ...sources])) {
      const { trees, refs } = this.#repository(common);
      for (const ref of refs)
        for (const top of tops) if (await holdsAt({ trees, ref, top, files: 0 }, path)) return true;
    }
    return false;
  }

  [Symbol.dispose](): void {
    for (const { objects } of this.#repositories.values()) objects[Symbol.dispose]();
  }

  #repository(common: AbsolutePath): Repository {
    const known = this.#repositories.get(common);
    if (known !== undefined) return known;
    const objects = new ObjectStore(joinPath(common, "objects"), this.#budget);
    const refs = refsBefore(common, this.#startedAt);
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

/** A commit as it would stand in a working tree, and how many files were compared so far. */
interface Commit {
  readonly trees: CommittedTrees;
  readonly ref: string;
  readonly top: AbsolutePath;
  files: number;
}

/** Folders above a path that are, or were, the top of a working tree; the nearest first. */
function topsAbove(path: AbsolutePath, signs: readonly RepositorySign[]): readonly AbsolutePath[] {
  const known = new Set(signs.map((sign) => parentOf(sign.path)));
  const found: AbsolutePath[] = [];
  for (let at = path; at !== ROOT; ) {
    at = parentOf(at);
    if (known.has(at) || statsOf(joinPath(at, ".git")) !== null) found.push(at);
  }
  return found;
}

/** Where repositories keep objects and branches; those first that lie nearest to the path. */
function commonFolders(path: AbsolutePath, signs: readonly RepositorySign[]): readonly AbsolutePath[] {
  const isAround = (sign: RepositorySign): number =>
    isInside(path, parentOf(sign.path)) ? sign.path.length : 0;
  const sorted = signs
    .filter((sign) => sign.path !== path && !isInside(path, sign.path))
    .toSorted((a, b) => isAround(b) - isAround(a));
  const found = sorted.slice(0, MAX_REPOSITORIES).flatMap((sign) => commonFolder(sign) ?? []);
  return [...new Set(found)];
}

function commonFolder({ kind, path }: RepositorySign): AbsolutePath | null {
  const folder = kind === "folder" ? path : folderBehind(path);
  if (folder === null) return null;
  const written = textOf(joinPath(folder, "commondir")).trimEnd();
  return written === "" ? folder : led(written, folder);
}

/** The repositories of this machine that a clone names as those that it is of (git-clone(1), GIT URLS). */
function sourcesOf(top: AbsolutePath): readonly AbsolutePath[] {
  const folder = commonFolder({ kind: "folder", path: joinPath(top, ".git"), isWhole: true });
  const config = folder === null ? "" : textOf(joinPath(folder, "config"));
  const urls = [...config.matchAll(/^\s*url = (?:file:\/\/)?(\/.+)$/gm)].map(([, path = ""]) => path);
  return urls
    .slice(0, MAX_REPOSITORIES)
    .flatMap((url) => [`${url}/.git`, url, `${url}.git`])
    .flatMap((written) => {
      const found = ledBy(written, ROOT, statsOf);
      if (found === null || found === "who") return [];
      const stats = statsOf(found.path);
      if (stats === null) return [];
      const kind = stats.isDirectory() ? "folder" : "file";
      return commonFolder({ kind, path: found.path, isWhole: true }) ?? [];
    });
}

function namesBelow(path: AbsolutePath, top: AbsolutePath): readonly string[] {
  return namesOf(path).slice(namesOf(top).length);
}

/** Where the file `.git` of a worktree or submodule leads (gitrepository-layout(5)). */
function folderBehind(file: AbsolutePath): AbsolutePath | null {
  const written = /^gitdir: (.+?)\n*$/s.exec(textOf(file))?.[1];
  return written === undefined ? null : led(written, parentOf(file));
}

function led(written: string, from: AbsolutePath): AbsolutePath | null {
  const found = ledBy(written, from, statsOf);
  return found === null || found === "who" ? null : found.path;
}

/** What branches and tags led to before: by files that nobody has changed since, which no program can deny (inode(7), `ctime`). */
function refsBefore(common: AbsolutePath, startedAt: number): readonly string[] {
  const isOld = (path: AbsolutePath): boolean =>
    (statsOf(path)?.ctimeMs ?? startedAt) < startedAt - CLOCK_GRAIN_MS;
  const packed = joinPath(common, "packed-refs");
  const lines = isOld(packed) ? textOf(packed).split("\n") : [];
  const loose = [joinPath(common, "HEAD"), ...filesBelow(joinPath(common, "refs"))]
    .filter(isOld)
    .map((path) => textOf(path).trim());
  // A line that begins with `^` says what the tag above it stands for.
  const named = [...loose, ...lines.map((line) => line.replace(/^\^/, "").split(" ")[0] ?? "")];
  return [...new Set(named.filter((oid) => /^[0-9a-f]{40,64}$/.test(oid)))].slice(0, MAX_REFS);
}

function filesBelow(folder: AbsolutePath): readonly AbsolutePath[] {
  const found: AbsolutePath[] = [];
  const ahead = [folder];
  let left = MAX_REF_FOLDERS;
  for (let at = ahead.pop(); at !== undefined && found.length < MAX_REFS && left > 0; at = ahead.pop()) {
    left -= 1;
    for (const entry of entriesOf(at)) {
      const path = joinPath(at, entry.name);
      if (entry.isDirectory()) ahead.push(path);
      else if (entry.isFile()) found.push(path);
    }
  }
  return found;
}

function entriesOf(folder: AbsolutePath) {
  try {
    return readdirSync(systemPath(folder), { withFileTypes: true });
  } catch {
    return [];
  }
}

async function holdsAt(commit: Commit, path: AbsolutePath): Promise<boolean> {
  const names = namesBelow(path, commit.top).map((name) => latin1Of(pathToBytes(name)));
  const entry = await commit.trees.entryAt(commit.ref, names);
  return entry !== null && (await holds(commit, entry, path));
}

/** True where all that stands at the path is in the entry, as it is there. */
async function holds(commit: Commit, entry: TreeEntry, path: AbsolutePath): Promise<boolean> {
  const stats = statsOf(path);
  commit.files += 1;
  if (stats === null || commit.files > MAX_FILES) return false;
  if (stats.isSymbolicLink())
    return (
      entry.kind === "link" && isBlob(pathToBytes(linkAt(path) ?? ""), entry.oid) && holdsEnd(commit, path)
    );
  if (stats.isFile()) {
    const isProgram = (stats.mode & 0o111) !== 0;
    if (entry.kind !== (isProgram ? "program" : "file")) return false;
    const bytes = bytesOf(path, MAX_FILE_BYTES);
    return bytes !== null && isBlob(bytes, entry.oid);
  }
  if (!stats.isDirectory() || entry.kind !== "folder") return false;
  const folder = await commit.trees.folder(entry.oid);
  const names = allNamesIn(path);
  for (const name of names ?? []) {
    const inner = folder?.get(latin1Of(pathToBytes(name)));
    if (inner === undefined || !(await holds(commit, inner, joinPath(path, name)))) return false;
  }
  return names !== null;
}

/** Null where they can't be read; a few too many where there are too many. */
function allNamesIn(folder: AbsolutePath): readonly string[] | null {
  try {
    return firstNamesIn(systemPath(folder), MAX_FILES + 1);
  } catch {
    return null;
  }
}

/** The call may have made what a link leads to: that has to be the commit's, too. */
async function holdsEnd(commit: Commit, link: AbsolutePath): Promise<boolean> {
  const end = endOf(link);
  return end !== null && isInside(end, commit.top) && holdsAt(commit, end);
}

function endOf(link: AbsolutePath): AbsolutePath | null {
  try {
    return resolvedPath(link);
  } catch {
    return null;
  }
}

function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function isBlob(body: Uint8Array, oid: string): boolean {
  const blob: GitObject = { type: "blob", body: Buffer.from(body) };
  return oidOf(blob, oid) === oid;
}

function textOf(path: AbsolutePath): string {
  return Buffer.from(bytesOf(path, MAX_TEXT_BYTES) ?? []).toString("utf8");
}

function bytesOf(path: AbsolutePath, most: number): Uint8Array | null {
  try {
    using file = openPlainFile(systemPath(path), constants.O_NOFOLLOW);
    return file === null || file.stats.size > most ? null : file.read();
  } catch {
    return null;
  }
}
