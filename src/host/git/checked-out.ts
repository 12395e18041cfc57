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
import { linkAt, statsOf, systemPath } from "../nodes.ts";
import { openPlainFile } from "../plain-file.ts";
import { ledBy } from "./led.ts";
import {
  type GitObject,
  oidOf,
  type TreeEntry,
  targetOfTag,
  treeEntries,
  treeOfCommit,
} from "./objects/object.ts";
import { ObjectStore } from "./objects/store.ts";

/** More branches and tags than this are not looked at, nor more repositories, nor more files of one folder. */
const MAX_REFS = 500;
const MAX_REPOSITORIES = 20;
const MAX_FILES = 2_000;
/** A larger file is no settings, and no hook. */
const MAX_FILE_BYTES = 4 * 1024 ** 2;
const MAX_TEXT_BYTES = 8 * 1024 ** 2;

/** So far the times of a file system may lag behind the clock. */
const CLOCK_GRAIN_MS = 50;

/**
 * True where what stands at a path is what a commit has there, a commit to which a branch or tag led before the call: then a
 * checkout brought it, in the repository itself, in a clone of it or in a new worktree. Which commits these were is told by files
 * of branches that did not change since, and a commit's name says what it holds; so nothing that the call itself made passes.
 * Folders count with all that is in them.
 *
 * `signs`: repositories that there were before. `startedAt`: when the call began, in milliseconds since 1970.
 */
export async function isCheckedOut(
  path: AbsolutePath,
  signs: readonly RepositorySign[],
  startedAt: number,
): Promise<boolean> {
  const tops = topsAbove(path, signs);
  for (const common of commonFolders(path, signs)) {
    using objects = new ObjectStore(joinPath(common, "objects"));
    for (const ref of refsBefore(common, startedAt))
      for (const top of tops) {
        const entry = await entryAt(objects, ref, namesBelow(path, top));
        if (entry !== null && (await holds(objects, entry, path, { files: 0 }))) return true;
      }
  }
  return false;
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
  for (let at = ahead.pop(); at !== undefined && found.length < MAX_REFS; at = ahead.pop()) {
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

/** What a commit has at a path; null where it has nothing there. */
async function entryAt(
  objects: ObjectStore,
  ref: string,
  names: readonly string[],
): Promise<TreeEntry | null> {
  let object = await objects.read(ref);
  for (let tags = 0; object?.type === "tag" && tags < 10; tags += 1)
    object = await objects.read(targetOfTag(object) ?? "");
  let oid = object === null ? null : treeOfCommit(object);
  for (const [depth, name] of names.entries()) {
    if (oid === null) return null;
    const entry = await entryNamed(objects, oid, name);
    if (entry === null || depth === names.length - 1) return entry;
    oid = entry.kind === "folder" ? entry.oid : null;
  }
  return null;
}

async function entryNamed(objects: ObjectStore, tree: string, name: string): Promise<TreeEntry | null> {
  const entries = await entriesIn(objects, tree);
  const bytes = Buffer.from(pathToBytes(name));
  return entries?.find((entry) => entry.name.equals(bytes)) ?? null;
}

async function entriesIn(objects: ObjectStore, tree: string): Promise<readonly TreeEntry[] | null> {
  const object = await objects.read(tree);
  return object === null ? null : treeEntries(object, tree.length / 2);
}

/** True where all that stands at the path is in the entry, as it is there. */
async function holds(
  objects: ObjectStore,
  entry: TreeEntry,
  path: AbsolutePath,
  counted: { files: number },
): Promise<boolean> {
  const stats = statsOf(path);
  counted.files += 1;
  if (stats === null || counted.files > MAX_FILES) return false;
  if (stats.isSymbolicLink())
    return entry.kind === "link" && isBlob(Buffer.from(pathToBytes(linkAt(path) ?? "")), entry.oid);
  if (stats.isFile()) {
    const isProgram = (stats.mode & 0o111) !== 0;
    if (entry.kind !== (isProgram ? "program" : "file") || stats.size > MAX_FILE_BYTES) return false;
    const bytes = bytesOf(path, MAX_FILE_BYTES);
    return bytes !== null && isBlob(bytes, entry.oid);
  }
  if (!stats.isDirectory() || entry.kind !== "folder") return false;
  const entries = await entriesIn(objects, entry.oid);
  for (const { name } of entriesOf(path)) {
    const bytes = Buffer.from(pathToBytes(name));
    const inner = entries?.find((one) => one.name.equals(bytes));
    if (inner === undefined || !(await holds(objects, inner, joinPath(path, name), counted))) return false;
  }
  return true;
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
