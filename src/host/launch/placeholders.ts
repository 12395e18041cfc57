import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { Placeholder } from "../../backend/placeholder.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, nameOf, parentOf } from "../../profile/path.ts";
import { type OpenFolder, openFolder } from "../look/open-folder.ts";
import { codeOf } from "../system-error.ts";
import { isFull } from "./state-files.ts";

const MAX_OPEN = 16;

/** Folders of placeholders, the last sixteen opened: one is removed where it was made, even if the folder was moved. */
export class FoldersAtHand implements Disposable {
  readonly #folders = new Map<AbsolutePath, OpenFolder>();

  /** Throws node's errors, like `openFolder`. */
  open(path: AbsolutePath): OpenFolder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const opened = openFolder(path);
    for (const [other, folder] of this.#folders) {
      if (this.#folders.size < MAX_OPEN) break;
      this.#folders.delete(other);
      folder[Symbol.dispose]();
    }
    this.#folders.set(path, opened);
    return opened;
  }

  [Symbol.dispose](): void {
    for (const folder of this.#folders.values()) folder[Symbol.dispose]();
    this.#folders.clear();
  }
}

/**
 * Makes a placeholder for a missing path, whole or not at all. False if something is there already, or a link or
 * nothing is on the way. `holder` names the call, in the name of a temporary. Throws `SANDBOX_UNAVAILABLE` if
 * descriptors, memory or room on the disk have run out, and `NOT_ENFORCEABLE` if this user can't make it, however often
 * it is tried.
 */
export function makePlaceholder({ path, text }: Placeholder, holder: string, at: FoldersAtHand): boolean {
  try {
    const folder = at.open(parentOf(path));
    const place = folder.child(nameOf(path));
    // A path that another call holds need not be made again, nor be possible to make.
    if (isThere(place)) return false;
    if (text === null) mkdirSync(place, { mode: 0o755 });
    else if (text === "") closeSync(openSync(place, NEW, 0o644));
    else makeFile(place, folder.child(temporaryName(path, holder)), text);
    return true;
  } catch (cause) {
    throwShortage(cause);
    if (OTHERS_WORK.has(codeOf(cause))) return false;
    throw unmade(path, cause);
  }
}

/** Errors of an open or a change if another program changed the tree meanwhile (open(2), mkdir(2), link(2)). */
const OTHERS_WORK: ReadonlySet<string> = new Set(["EEXIST", "ENOENT", "ENOTDIR", "ELOOP", "ESTALE"]);

/**
 * Removes it again, and the temporaries of a process that was killed at this work; only the latter if others hold the
 * path too. A folder that is not empty, a file with other text, an entry gone or after a link by now, is left: it is no
 * longer ours. False if it may be there still, because the folder is closed. Throws `SANDBOX_UNAVAILABLE` as above.
 */
export function removePlaceholder(
  { path, text }: Placeholder,
  holder: string,
  isShared: boolean,
  at: FoldersAtHand,
): boolean {
  if (text === null && isShared) return true;
  // Through a descriptor of the folder, as it was made: between a look and a change by path, a process that writes in
  // the tree could put a link in the place of any folder.
  try {
    const folder = at.open(parentOf(path));
    const place = folder.child(nameOf(path));
    if (text === null) rmdirSync(place);
    else removeFile(place, folder.child(temporaryName(path, holder)), text, isShared);
  } catch (cause) {
    throwShortage(cause);
    return !["EACCES", "EPERM", "EROFS"].includes(codeOf(cause));
  }
  return true;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** Begins with a name that git and others ignore. */
function temporaryName(path: AbsolutePath, holder: string): string {
  return `.cofferdam-${nameOf(path)}-${holder}`;
}

/** The file gets its name once it is whole: half of a `commondir` would make git fail on the host. */
function makeFile(at: Buffer, temporary: Buffer, text: string): void {
  const fd = openSync(temporary, NEW, 0o644);
  try {
    writeSync(fd, text);
    linkSync(temporary, at);
  } finally {
    closeSync(fd);
    unlinkSync(temporary);
  }
}

/** Moved aside before the last look, and back if not ours: between look and removal another could take the name. */
function removeFile(at: Buffer, temporary: Buffer, text: string, isShared: boolean): void {
  if (isThere(temporary)) settle(temporary, at, text);
  if (isShared || !says(at, text)) return;
  renameSync(at, temporary);
  settle(temporary, at, text);
}

function settle(temporary: Buffer, at: Buffer, text: string): void {
  if (says(temporary, text) || isLinked(temporary, at)) unlinkSync(temporary);
}

function isThere(at: Buffer): boolean {
  return lstatSync(at, { throwIfNoEntry: false }) !== undefined;
}

/** True for a plain file with exactly that text, or the beginning of it. */
function says(at: Buffer, text: string): boolean {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return false;
  if (stats.size === 0) return true;
  const fd = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    if (size > text.length) return false;
    const bytes = Buffer.alloc(size);
    readSync(fd, bytes);
    return text.startsWith(bytes.toString("latin1"));
  } finally {
    closeSync(fd);
  }
}

/** Gives a file its name back; also true if another, newer file has the name by now. */
function isLinked(temporary: Buffer, at: Buffer): boolean {
  try {
    linkSync(temporary, at);
    return true;
  } catch (cause) {
    return codeOf(cause) === "EEXIST";
  }
}

/** The reason why nothing can be made at a path, and a remedy; the codes are those of mkdir(2), open(2) and link(2). */
function unmade(path: AbsolutePath, cause: unknown): CofferdamError {
  const [code, folder] = [codeOf(cause), visible(shortened(parentOf(path)))];
  const blocked = (why: string): string =>
    `the protected path ${visible(shortened(path))} can't be blocked while the call runs: ${why}`;
  if (isFull(cause))
    return new CofferdamError("SANDBOX_UNAVAILABLE", blocked(`no space is left there (${code})`), {
      hint: `free space on the file system of ${folder}`,
      cause,
    });
  const [why, hint] = REASONS.get(code) ?? [
    `nothing can be created in its folder (${code})`,
    "move it out of the roots",
  ];
  return new CofferdamError("NOT_ENFORCEABLE", blocked(why), {
    hint: hint.replace("FOLDER", () => folder),
    cause,
  });
}

const REASONS: ReadonlyMap<string, readonly [why: string, hint: string]> = new Map([
  [
    "EACCES",
    [
      "its folder can't be written by this user",
      "let this user write in FOLDER (`chmod u+w`), or move it out of the roots",
    ],
  ],
  ["EROFS", ["its folder is mounted read-only", "mount FOLDER writable, or move it out of the roots"]],
  ["ENAMETOOLONG", ["its name is too long", "shorten the name, or move it out of the roots"]],
]);

/** Characters shown of a path: its beginning, and more of its end. */
const [MAX_BEFORE, MAX_AFTER] = [60, 120];

/** A path for a message, cut in the middle if it is long. */
export function shortened(path: string): string {
  if (path.length <= MAX_BEFORE + MAX_AFTER) return path;
  return `${path.slice(0, MAX_BEFORE)}…${path.slice(-MAX_AFTER)}`;
}

const SHORTAGES: ReadonlyMap<string, string> = new Map([
  ["EMFILE", "raise `ulimit -n`"],
  ["ENFILE", "end programs with many open files"],
  ["ENOMEM", "end programs that use much memory"],
  ["EIO", "check the disk of the state folder"],
]);

/** Without descriptors or memory nothing is known about the path: an entry would be taken for none. */
export function throwShortage(cause: unknown): void {
  const code = codeOf(cause);
  const hint = SHORTAGES.get(code);
  if (hint === undefined) return;
  const message = `the record of blocked paths can't be read or written: ${code}`;
  throw new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint, cause });
}
