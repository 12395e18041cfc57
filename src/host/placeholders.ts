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
import type { Placeholder } from "../backend/placeholder.ts";
import { CofferdamError, visible } from "../errors.ts";
import { type AbsolutePath, nameOf, parentOf } from "../profile/path.ts";
import { type OpenFolder, openFolder } from "./open-folder.ts";
import { isFull } from "./state-files.ts";
import { codeOf } from "./system-error.ts";

/** So many folders are kept open at once. */
const MOST_OPEN = 16;

/**
 * The folders that placeholders lie in, each opened once: what is made in one is removed in that very folder, wherever it
 * was moved to meanwhile. Of more than sixteen only the last are kept.
 */
export class FoldersAtHand implements Disposable {
  readonly #folders = new Map<AbsolutePath, OpenFolder>();

  /** Throws node's errors, as `openFolder` does. */
  open(path: AbsolutePath): OpenFolder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const opened = openFolder(path);
    for (const [other, folder] of this.#folders) {
      if (this.#folders.size < MOST_OPEN) break;
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
 * Makes what stands in for a missing path, whole or not at all. True when it was made; false when something stands there
 * already, or a link or nothing stands on the way. `holder` names the call, in the name of a temporary. Throws
 * `SANDBOX_UNAVAILABLE` when descriptors, memory or room on the disk have run out, and `NOT_ENFORCEABLE` where this user
 * can't make it, however often it is tried.
 */
export function makePlaceholder({ path, text }: Placeholder, holder: string, at: FoldersAtHand): boolean {
  try {
    const folder = at.open(parentOf(path));
    const place = folder.child(nameOf(path));
    // What another call holds need not be made again, nor be able to be.
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

/** What an open or a change says when another program changed the tree meanwhile (open(2), mkdir(2), link(2)). */
const OTHERS_WORK: ReadonlySet<string> = new Set(["EEXIST", "ENOENT", "ENOTDIR", "ELOOP", "ESTALE"]);

/**
 * Removes it again, and what a process that was killed at this work left of it; only the latter where others hold the path
 * too. A folder that is not empty, a file that says something else, what is gone or behind a link by now, is left: it is no
 * longer ours. False where it may be there still, because the folder is shut. Throws `SANDBOX_UNAVAILABLE` as above.
 */
export function removePlaceholder(
  { path, text }: Placeholder,
  holder: string,
  isShared: boolean,
  at: FoldersAtHand,
): boolean {
  if (text === null && isShared) return true;
  // Through a descriptor of the folder, as it was made: a process that writes in the tree could put a link in the place of
  // any folder between a look and a change by path.
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

/** Begins with a name that git and others take for nothing of theirs. */
function temporaryName(path: AbsolutePath, holder: string): string {
  return `.cofferdam-${nameOf(path)}-${holder}`;
}

/** The file gets its name when it is whole: half of a `commondir` would make git fail on the host. */
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

/**
 * The file is moved aside before it is looked at for the last time, and moved back when it is not ours: between a look and
 * a removal by name another program could have renamed a file of its own to that name.
 */
function removeFile(at: Buffer, temporary: Buffer, text: string, isShared: boolean): void {
  if (isThere(temporary)) settle(temporary, at, text);
  if (isShared || !says(at, text)) return;
  renameSync(at, temporary);
  settle(temporary, at, text);
}

/** Removes a temporary; one that is not ours gets its name back. */
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

/** Gives a file its name back; true as well when another has the name by now, which is newer. */
function isLinked(temporary: Buffer, at: Buffer): boolean {
  try {
    linkSync(temporary, at);
    return true;
  } catch (cause) {
    return codeOf(cause) === "EEXIST";
  }
}

/** Why nothing can be made at a path, and what helps; the codes are those of mkdir(2), open(2) and link(2). */
function unmade(path: AbsolutePath, cause: unknown): CofferdamError {
  const [code, folder] = [codeOf(cause), visible(shortened(parentOf(path)))];
  const told = (why: string): string =>
    `nothing can stand in for ${visible(shortened(path))} while the call runs: ${why}`;
  if (isFull(cause))
    return new CofferdamError("SANDBOX_UNAVAILABLE", told(`no room is left there (${code})`), {
      hint: `make room on the file system of ${folder}`,
      cause,
    });
  const [why, hint] = REASONS.get(code) ?? [
    `its folder does not take it (${code})`,
    "leave it out of the roots",
  ];
  return new CofferdamError("NOT_ENFORCEABLE", told(why), {
    hint: hint.replace("FOLDER", () => folder),
    cause,
  });
}

const REASONS: ReadonlyMap<string, readonly [why: string, hint: string]> = new Map([
  [
    "EACCES",
    [
      "its folder can't be written by this user",
      "let this user write in FOLDER (`chmod u+w`), or leave it out of the roots",
    ],
  ],
  ["EROFS", ["its folder is mounted read-only", "mount FOLDER to be written, or leave it out of the roots"]],
  [
    "ENAMETOOLONG",
    ["its name is too long", "give a shorter one where it is named, or leave it out of the roots"],
  ],
]);

/** So much of a path is told: its beginning, and more of its end. */
const [MOST_BEFORE, MOST_AFTER] = [60, 120];

/** A path for a message, cut in the middle where it is long. */
export function shortened(path: string): string {
  if (path.length <= MOST_BEFORE + MOST_AFTER) return path;
  return `${path.slice(0, MOST_BEFORE)}…${path.slice(-MOST_AFTER)}`;
}

/** Without descriptors or memory nothing can be said about what stands there: an entry would be taken for none. */
export function throwShortage(cause: unknown): void {
  const code = codeOf(cause);
  if (!["EMFILE", "ENFILE", "ENOMEM", "EIO"].includes(code)) return;
  throw new CofferdamError("SANDBOX_UNAVAILABLE", `the ledger of placeholders can't be worked on: ${code}`, {
    hint: "raise `ulimit -n`, or end what holds so many files open",
    cause,
  });
}
