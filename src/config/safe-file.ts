import { constants, lstatSync, readlinkSync, type Stats } from "node:fs";
import { CofferdamError, escapeInvisible, type Position, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { bytesOf, systemPath } from "../host/look/nodes.ts";
import { openPlainFile, type PlainFile } from "../host/look/plain-file.ts";
import { SPELLING } from "../host/look/spelling.ts";
import {
  type AbsolutePath,
  isInside,
  joinPath,
  namesInText,
  parentOf,
  pathFromBytes,
  ROOT,
} from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import { type FileCode, fileStart, MAX_BYTES } from "./yaml.ts";

/** A file that was read: its real path, its bytes, and its owner. */
export interface ReadFile {
  readonly path: AbsolutePath;
  readonly bytes: Uint8Array;
  readonly uid: number;
}

/** One name on the way to a path, and its state. A link precedes its target. */
export interface PathStep {
  readonly path: AbsolutePath;
  readonly stats: Stats;
}

/**
 * The target of a path, and every folder, link and file on the way. `missing` are the names that do not exist, below
 * `real`; `isDangling` if the first of them is part of a symlink's target.
 */
export interface ResolvedWay {
  readonly real: AbsolutePath;
  readonly steps: readonly PathStep[];
  readonly missing: readonly string[];
  readonly isDangling: boolean;
}

/** The kind of file to read, and the file and position that name it: errors about missing files are reported there. */
export interface Naming {
  readonly code: FileCode;
  readonly by: FileCode;
  readonly at: Position | null;
}

const MAX_LINKS = 40;
/** Links of open files are here: the target `pipe:[1]` has no path. */
const PROCESSES = joinPath(ROOT, "proc");
/** The mode bit of a folder in which only a name's owner may rename or remove it (inode(7)). */
const STICKY = 0o1000;

/**
 * Reads a file that grants or restricts something. Throws the code if anyone but root and the caller could have written
 * it: the file, or a folder or link on the way to it, belongs to another user or is group- or other-writable (root's
 * sticky folders, such as /tmp, are fine). Also throws if it is missing, not a plain file, or over 1 MiB.
 */
export function readSafely(host: Host, text: string, naming: Naming): ReadFile {
  const way = existingWay(text, naming);
  // Checked first: permissions of a device or a pipe must not be suggested for a change.
  assertPlain(way, naming);
  const last = way.steps.length - 1;
  for (const [index, step] of way.steps.entries())
    assertUnwritable(host, step, index === last, { code: naming.code, at: fileStart(text) });
  return readExisting(way, naming);
}

/** Reads a file whose digest the caller checks, so that it does not matter who could write it. */
export function readPinned(text: string, naming: Naming): ReadFile {
  return readExisting(existingWay(text, naming), naming);
}

/** Throws the code if anyone but root and the caller can change the folder's content. */
export function assertSafeFolder(host: Host, folder: AbsolutePath, code: FileCode): void {
  for (const step of existingWay(folder, { code, by: code, at: null }).steps)
    assertUnwritable(host, step, false, { code, at: fileStart(folder) });
}

/** Follows an absolute path, with `..`, name by name as the kernel does, spelled as on disk. Throws node's errors. */
export function walk(text: string): ResolvedWay {
  const steps: PathStep[] = [{ path: ROOT, stats: lstatSync(ROOT) }];
  const names = namesInText(text);
  let [real, links, namesOfLinks] = [ROOT, 0, 0];
  for (;;) {
    const name = names.shift();
    if (name === undefined) return { real, steps, missing: [], isDangling: false };
    const isOfLink = namesOfLinks > 0;
    if (isOfLink) namesOfLinks -= 1;
    if (name === "..") {
      real = parentOf(real);
      continue;
    }
    const path = joinPath(real, name);
    const stats = lstatSync(systemPath(path), { throwIfNoEntry: false });
    if (stats === undefined) return { real, steps, missing: [name, ...names], isDangling: isOfLink };
    const place = SPELLING.placeOf(real, name, stats);
    steps.push({ path: place, stats });
    if (!stats.isSymbolicLink()) {
      real = place;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new RangeError("it has too many symlinks");
    const target = pathFromBytes(bytesOf(readlinkSync(systemPath(path), { encoding: "buffer" })));
    if (target.startsWith("/")) real = ROOT;
    const within = namesInText(target);
    names.unshift(...within);
    namesOfLinks += within.length;
  }
}

/** True if only root and the trusted users can replace the path. */
export function isUnwritable({ stats }: PathStep, trusted: readonly number[]): boolean {
  if (!trusted.includes(stats.uid)) return false;
  if (stats.isSymbolicLink() || (stats.mode & 0o022) === 0) return true;
  return stats.isDirectory() && stats.uid === 0 && (stats.mode & STICKY) !== 0;
}

/** The meaning of a node error for an operation on a path, in one lower-case phrase. */
export function printFailure(error: unknown, does: "read" | "written" = "read"): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "ENOENT":
      return "does not exist";
    case "EACCES":
    case "EPERM":
      return `cannot be ${does} by this user`;
    case "ENOTDIR":
      return "leads through a file that is not a folder";
    case "ELOOP":
      return "is a dangling symlink";
    case "ENAMETOOLONG":
      return "is too long: a path may have 4095 bytes, and a name in it 255";
    default:
      return `cannot be read: ${escapeInvisible(error instanceof Error ? error.message : String(error))}`;
  }
}

function existingWay(text: string, naming: Naming): ResolvedWay {
  const refuse = (what: string, cause?: unknown): CofferdamError =>
    new CofferdamError(naming.by, `${visible(text)} ${what}`, {
      hint: "name an existing file that you can read",
      at: naming.at ?? fileStart(text),
      cause,
    });
  if (text.includes("\0")) throw refuse("contains a NUL character");
  let way: ResolvedWay;
  try {
    way = walk(text);
  } catch (error) {
    throw refuse(printFailure(error), error);
  }
  const end = way.steps.at(-1)?.path ?? ROOT;
  if (way.isDangling && isInside(end, PROCESSES)) throw refuse("is a stream, not a regular file");
  if (way.missing.length > 0) throw refuse(way.isDangling ? "is a dangling symlink" : "does not exist");
  return way;
}

function assertUnwritable(
  host: Host,
  step: PathStep,
  isFile: boolean,
  { code, at }: { readonly code: FileCode; readonly at: Position },
): void {
  const { path, stats } = step;
  if (isUnwritable(step, [0, host.user.uid])) return;
  const what = stats.isSymbolicLink() ? "the symlink" : isFile ? "the file" : "the folder";
  if (stats.uid !== 0 && stats.uid !== host.user.uid) {
    const hint = isFile
      ? `review it, then make it yours: ${quote(["chown", host.user.name, path])}`
      : "move the file to a folder that you own";
    throw new CofferdamError(
      code,
      `${what} ${visible(path)} belongs to user ${stats.uid}, who could change the file`,
      { hint, at },
    );
  }
  const who = (stats.mode & 0o002) === 0 ? `group ${stats.gid}` : "every user";
  throw new CofferdamError(code, `${what} ${visible(path)} can be written by ${who}`, {
    hint: `run ${quote(["chmod", "go-w", path])}`,
    at,
  });
}

function assertPlain({ real, steps }: ResolvedWay, { code }: Naming): Stats {
  const seen = steps.at(-1)?.stats;
  if (seen?.isFile() === true) return seen;
  throw new CofferdamError(code, `${visible(real)} is not a regular file`, {
    hint: "name a YAML file",
    at: fileStart(real),
  });
}

function readExisting(way: ResolvedWay, naming: Naming): ReadFile {
  const { real } = way;
  const refuse = (what: string, hint: string, cause?: unknown): CofferdamError =>
    new CofferdamError(naming.code, `${visible(real)} ${what}`, { hint, at: fileStart(real), cause });
  const seen = assertPlain(way, naming);
  using file = opened(real, refuse);
  if (file === null || !isSame(file.stats, seen))
    throw refuse("was replaced while it was being read", "run the command again");
  const { stats } = file;
  if (stats.size > MAX_BYTES) throw refuse(`has ${stats.size} bytes`, `shorten it to ${MAX_BYTES} bytes`);
  return { path: real, bytes: file.read(), uid: stats.uid };
}

function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.mode === b.mode && a.uid === b.uid;
}

function opened(
  path: AbsolutePath,
  refuse: (what: string, hint: string, cause: unknown) => CofferdamError,
): PlainFile | null {
  try {
    return openPlainFile(path, constants.O_NOFOLLOW);
  } catch (error) {
    throw refuse(printFailure(error), "name a file that you can read", error);
  }
}
