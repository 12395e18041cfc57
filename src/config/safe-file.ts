import { constants, lstatSync, readlinkSync, type Stats } from "node:fs";
import { CofferdamError, escapeInvisible, type Position, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { bytesOf, systemPath } from "../host/nodes.ts";
import { openPlainFile, type PlainFile } from "../host/plain-file.ts";
import { SPELLING } from "../host/spelling.ts";
import { type AbsolutePath, isInside, joinPath, parentOf, pathFromBytes, ROOT } from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import { type FileCode, fileStart, MOST_BYTES } from "./yaml.ts";

/** A file that was read: its real path, its bytes, and whose it is. */
export interface ReadFile {
  readonly path: AbsolutePath;
  readonly bytes: Uint8Array;
  readonly uid: number;
}

/** One name on the way to a path: what stands there. Links stand before what they lead to. */
export interface Step {
  readonly path: AbsolutePath;
  readonly stats: Stats;
}

/**
 * Where a path leads, and every folder, link and file on the way. `missing` are the names that are not there, below
 * `real`; `isDangling` when the first of them stands in a symlink.
 */
export interface Way {
  readonly real: AbsolutePath;
  readonly steps: readonly Step[];
  readonly missing: readonly string[];
  readonly isDangling: boolean;
}

/** What kind of file is read, and which kind of file names it where: errors about what is not there stand there. */
export interface Naming {
  readonly code: FileCode;
  readonly by: FileCode;
  readonly at: Position | null;
}

const MOST_LINKS = 40;
/** Links of open files stand here: `pipe:[1]` leads nowhere that has a name. */
const PROCESSES = joinPath(ROOT, "proc");
/** The mode bit of a folder in which only a name's owner may rename or remove it (inode(7)). */
const STICKY = 0o1000;

/**
 * Reads a file that grants or restricts something. Throws the code when anybody but root and the caller could have
 * written it: the file, or a folder or link on the way to it, belongs to someone else or is group- or other-writable
 * (root's sticky folders, such as /tmp, are fine), and when it is missing, no plain file, or over 1 MiB.
 */
export function readSafely(host: Host, text: string, naming: Naming): ReadFile {
  const way = existingWay(text, naming);
  // What is no file has no owner to look at: nothing of a device's or a pipe's is to be changed.
  assertPlain(way, naming);
  const last = way.steps.length - 1;
  for (const [index, step] of way.steps.entries())
    assertUnwritable(host, step, index === last, { code: naming.code, at: fileStart(text) });
  return readExisting(way, naming);
}

/** Reads a file whose bytes are held against a digest by the caller, so that it does not matter who could write it. */
export function readPinned(text: string, naming: Naming): ReadFile {
  return readExisting(existingWay(text, naming), naming);
}

/** Throws the code when anybody but root and the caller can change what lies in the folder. */
export function assertSafeFolder(host: Host, folder: AbsolutePath, code: FileCode): void {
  for (const step of existingWay(folder, { code, by: code, at: null }).steps)
    assertUnwritable(host, step, false, { code, at: fileStart(folder) });
}

/**
 * Follows the text, an absolute path in which `..` may stand, name by name as the kernel does; what is there is written as
 * the disk writes it. Throws node's errors.
 */
export function walk(text: string): Way {
  const steps: Step[] = [{ path: ROOT, stats: lstatSync(ROOT) }];
  const names = text.split("/").filter(isName);
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
    if (links > MOST_LINKS) throw new RangeError("it has too many symlinks");
    const target = pathFromBytes(bytesOf(readlinkSync(systemPath(path), { encoding: "buffer" })));
    if (target.startsWith("/")) real = ROOT;
    const within = target.split("/").filter(isName);
    names.unshift(...within);
    namesOfLinks += within.length;
  }
}

/** True when nobody but root and the trusted users can replace what lies there. */
export function isUnwritable({ stats }: Step, trusted: readonly number[]): boolean {
  if (!trusted.includes(stats.uid)) return false;
  if (stats.isSymbolicLink() || (stats.mode & 0o022) === 0) return true;
  return stats.isDirectory() && stats.uid === 0 && (stats.mode & STICKY) !== 0;
}

/** What a node error means to whoever wanted to `do` something with a path, in one lower-case phrase. */
export function printFailure(error: unknown, does: "read" | "written" = "read"): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "ENOENT":
      return "does not exist";
    case "EACCES":
    case "EPERM":
      return `cannot be ${does} by this user`;
    case "ENOTDIR":
      return "leads through something that is no folder";
    case "ELOOP":
      return "is a symlink that leads nowhere";
    case "ENAMETOOLONG":
      return "is longer than a path (4095 bytes) or a name in it (255 bytes) can be";
    default:
      return `cannot be read: ${escapeInvisible(error instanceof Error ? error.message : String(error))}`;
  }
}

function isName(name: string): boolean {
  return name !== "" && name !== ".";
}

function existingWay(text: string, naming: Naming): Way {
  const refuse = (what: string, cause?: unknown): CofferdamError =>
    new CofferdamError(naming.by, `${visible(text)} ${what}`, {
      hint: "name a file that exists and that you may read",
      at: naming.at ?? fileStart(text),
      cause,
    });
  if (text.includes("\0")) throw refuse("holds a NUL character");
  let way: Way;
  try {
    way = walk(text);
  } catch (error) {
    throw refuse(printFailure(error), error);
  }
  const end = way.steps.at(-1)?.path ?? ROOT;
  if (way.isDangling && isInside(end, PROCESSES)) throw refuse("is a stream, and no plain file");
  if (way.missing.length > 0)
    throw refuse(way.isDangling ? "is a symlink that leads nowhere" : "does not exist");
  return way;
}

function assertUnwritable(
  host: Host,
  step: Step,
  isFile: boolean,
  { code, at }: { readonly code: FileCode; readonly at: Position },
): void {
  const { path, stats } = step;
  if (isUnwritable(step, [0, host.user.uid])) return;
  const what = stats.isSymbolicLink() ? "the symlink" : isFile ? "the file" : "the folder";
  if (stats.uid !== 0 && stats.uid !== host.user.uid) {
    const hint = isFile
      ? `read it, then make it yours: ${quote(["chown", host.user.name, path])}`
      : "move the file to a folder of yours";
    throw new CofferdamError(
      code,
      `${what} ${visible(path)} belongs to user ${stats.uid}, who could change what it says`,
      { hint, at },
    );
  }
  const who = (stats.mode & 0o002) === 0 ? `group ${stats.gid}` : "every user";
  throw new CofferdamError(code, `${what} ${visible(path)} can be written by ${who}`, {
    hint: `run ${quote(["chmod", "go-w", path])}`,
    at,
  });
}

function assertPlain({ real, steps }: Way, { code }: Naming): Stats {
  const seen = steps.at(-1)?.stats;
  if (seen?.isFile() === true) return seen;
  throw new CofferdamError(code, `${visible(real)} is not a plain file`, {
    hint: "name a YAML file",
    at: fileStart(real),
  });
}

function readExisting(way: Way, naming: Naming): ReadFile {
  const { real } = way;
  const refuse = (what: string, hint: string, cause?: unknown): CofferdamError =>
    new CofferdamError(naming.code, `${visible(real)} ${what}`, { hint, at: fileStart(real), cause });
  const seen = assertPlain(way, naming);
  using file = opened(real, refuse);
  if (file === null || !isSame(file.stats, seen))
    throw refuse("was replaced while it was being read", "run the command again");
  const { stats } = file;
  if (stats.size > MOST_BYTES) throw refuse(`has ${stats.size} bytes`, `a file may have ${MOST_BYTES} bytes`);
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
    throw refuse(printFailure(error), "name a file that you may read", error);
  }
}
