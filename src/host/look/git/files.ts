import type { Stats } from "node:fs";
import { type AbsolutePath, pathFromBytes, ROOT } from "../../../profile/path.ts";
import { RecentMap } from "../../recent-map.ts";
import { codeOf } from "../../system-error.ts";
import { type Lstat, wayOf } from "../leads.ts";
import { systemPath } from "../nodes.ts";
import { openPlainFile } from "../plain-file.ts";
import { type GitSetting, readGitConfig } from "../runtimes/git-config.ts";
import { dependsOnWho } from "./path-targets.ts";

/** Maximum of bytes of a file that git obeys. */
const MAX_BYTES = 1024 ** 2;

/** Maximum of characters of text whose settings are remembered, and of folders whose contents are. */
const MAX_REMEMBERED = 4 * 1024 ** 2;
const MAX_FOLDERS = 512;

/** A file that changed this recently may change again within the same tick of the clock, in milliseconds. */
const GRAIN_MS = 50;

/** Reason for files that the caller may not read: the caller's git can't either, until access is granted. */
export const CLOSED = "can't be read";

/** Reason for paths that lead elsewhere in another process: see `dependsOnWho`. */
export const BY_WHO_ASKS = "leads through /proc or too many names";

/** Reason for a file with hard links: it can be changed later by another name. */
export const BY_ANOTHER_NAME = "has another hard link";

/** True for a plain file with hard links. */
export function isLinkedTwice(path: AbsolutePath, { see }: { readonly see: Lstat }): boolean {
  const stats = see(path);
  return stats?.isFile() === true && stats.nlink > 1;
}

/** Content of one file, as git would read it. */
export interface GitFile {
  /** The whole text; empty if there is none, or it can't be read as git would. */
  readonly text: string;
  readonly characters: number;
  readonly settings: readonly GitSetting[];
  /** False if git would stop in the middle of it, when it reads it as a configuration. */
  readonly isWhole: boolean;
  /** Why git may find something else there, as `contains a NUL`; null if git finds this. */
  readonly unread: string | null;
}

const SAYS_NOTHING: GitFile = { text: "", characters: 0, settings: [], isWhole: true, unread: null };

/** Reads git's files each time, since shared memory changes a file without its times (mmap(2)); remembers settings. */
export class GitFiles {
  readonly #last = new Map<AbsolutePath, Known>();
  #characters = 0;

  /** The content of the file that a path leads to. A folder is empty, and so is `/dev/null`, as for git. */
  at(path: AbsolutePath, see: Lstat): GitFile {
    const way = wayOf(path, ROOT, see);
    if (dependsOnWho(way)) return unread(BY_WHO_ASKS);
    const { end } = way;
    const stats = end === null ? null : see(end);
    if (end === null || stats === null || stats.isDirectory() || isNull(stats)) return SAYS_NOTHING;
    if (!stats.isFile()) return unread(NO_FILE);
    const last = this.#last.get(end) ?? null;
    const known = readGitFile(end, last);
    this.#characters += known.whole.length - (last?.whole.length ?? 0);
    // Beyond the maximum, files are read again.
    if (this.#characters > MAX_REMEMBERED) {
      this.#last.clear();
      this.#characters = known.whole.length;
    }
    this.#last.set(end, known);
    return known.file;
  }
}

interface Known {
  readonly whole: string;
  readonly file: GitFile;
}

/** The content of a plain file, bytes kept as in paths; empty if it is missing, unreadable or too large. */
export function textAt(path: AbsolutePath): string {
  return readGitFile(path, null).file.text;
}

/** Cache of folders' contents, valid while each folder is unchanged. */
export class AsRead<Value> {
  readonly #known = new RecentMap<AbsolutePath, { readonly state: string; readonly value: Value }>(
    MAX_FOLDERS,
  );

  at(path: AbsolutePath, stats: Stats, read: () => Value): Value {
    const known = this.#known.get(path);
    const state = stateOf(stats);
    if (known?.state === state) return known.value;
    const readMs = Date.now();
    const value = read();
    if (readMs - stats.ctimeMs > GRAIN_MS) this.#known.set(path, { state, value });
    return value;
  }
}

/** Git's functions for text end at a NUL anywhere: only this code would read the text after it. */
function readGitFile(path: AbsolutePath, last: Known | null): Known {
  try {
    using file = openPlainFile(systemPath(path));
    if (file === null) return { whole: "", file: unread(NO_FILE) };
    if (file.stats.size > MAX_BYTES) return { whole: "", file: unread("is larger than 1 MiB") };
    const whole = pathFromBytes(file.read());
    return last?.whole === whole && whole !== "" ? last : { whole, file: gitFileOf(whole) };
  } catch (cause) {
    return { whole: "", file: codeOf(cause) === "ENOENT" ? SAYS_NOTHING : unread(CLOSED) };
  }
}

function gitFileOf(text: string): GitFile {
  const characters = text.length;
  if (text.includes("\0")) return { ...unread("contains a NUL"), characters };
  const { isBounded, ...config } = readGitConfig(text);
  return isBounded
    ? { text, characters, ...config, unread: null }
    : { ...unread("names too many files"), characters };
}

const NO_FILE = "is not a regular file";

function unread(why: string): GitFile {
  return { ...SAYS_NOTHING, unread: why };
}

/** The device that is always empty (null(4)): 1:3 on Linux, 3:2 on macOS, where the minor number has 24 bits. */
const NULL_DEVICE = process.platform === "darwin" ? 0x3000002 : 0x103;

function isNull(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === NULL_DEVICE;
}

function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}
