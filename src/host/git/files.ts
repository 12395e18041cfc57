import type { Stats } from "node:fs";
import { type AbsolutePath, pathFromBytes, ROOT } from "../../profile/path.ts";
import { type Look, wayOf } from "../leads.ts";
import { systemPath } from "../nodes.ts";
import { openPlainFile } from "../plain-file.ts";
import { RecentMap } from "../recent-map.ts";
import { type GitSetting, readGitConfig } from "../runtimes/git-config.ts";
import { codeOf } from "../system-error.ts";
import { dependsOnWho } from "./led.ts";

/** No file of git's that is obeyed is larger. */
const MOST_BYTES = 1024 ** 2;

/** Of so many characters of text the settings are remembered, and of so many folders what they hold. */
const MOST_REMEMBERED = 4 * 1024 ** 2;
const MOST_FOLDERS = 512;

/** What changed a moment ago may change again within the same tick of the clock, in milliseconds. */
const GRAIN_MS = 50;

/** Of what the caller may not read: git of the caller's can't either, until somebody lets it. */
export const CLOSED = "can't be read";

/** Of what leads elsewhere for whoever else follows it: see `dependsOnWho`. */
export const BY_WHO_ASKS = "leads through /proc or too many names";

/** Of a file with hard links: by any other name of it, it can be changed later. */
export const BY_ANOTHER_NAME = "has another name";

/** True for a plain file that has such names. */
export function isLinkedTwice(path: AbsolutePath, { see }: { readonly see: Look }): boolean {
  const stats = see(path);
  return stats?.isFile() === true && stats.nlink > 1;
}

/** What one file says, as git would read it. */
export interface GitFile {
  /** All of it; empty where there is none, or it can't be read as git would. */
  readonly text: string;
  /** How much was read to find that out. */
  readonly characters: number;
  /** Its settings, where it is a configuration. */
  readonly settings: readonly GitSetting[];
  /** False where git would stop in the middle of it, if it were read as a configuration. */
  readonly isWhole: boolean;
  /** Why git may find something else there, as `holds a NUL`; null where it finds this. */
  readonly unread: string | null;
}

const SAYS_NOTHING: GitFile = { text: "", characters: 0, settings: [], isWhole: true, unread: null };

/**
 * Reads what git reads, each time: through memory that is shared a file changes without its times (mmap(2)). What it can't
 * read as git would it says so of. The settings of a text are remembered.
 */
export class GitFiles {
  readonly #last = new Map<AbsolutePath, Known>();
  #characters = 0;

  /** What the file says that a path leads to. A folder says nothing, nor does `/dev/null`: so it is for git. */
  at(path: AbsolutePath, see: Look): GitFile {
    const way = wayOf(path, ROOT, see);
    if (dependsOnWho(way)) return unread(BY_WHO_ASKS);
    const { end } = way;
    const stats = end === null ? null : see(end);
    if (end === null || stats === null || stats.isDirectory() || isNull(stats)) return SAYS_NOTHING;
    if (!stats.isFile()) return unread(NO_FILE);
    const last = this.#last.get(end) ?? null;
    const known = readGitFile(end, last);
    this.#characters += known.whole.length - (last?.whole.length ?? 0);
    // Where there is more than that, it is read again.
    if (this.#characters > MOST_REMEMBERED) {
      this.#last.clear();
      this.#characters = known.whole.length;
    }
    this.#last.set(end, known);
    return known.file;
  }
}

/** All that a file holds, and what that says. */
interface Known {
  readonly whole: string;
  readonly file: GitFile;
}

/** What a plain file says, bytes kept as in paths; empty when there is none, or it can't be read, or is too large. */
export function textAt(path: AbsolutePath): string {
  return readGitFile(path, null).file.text;
}

/** What was read of folders, for as long as each is as it was then. */
export class AsRead<Value> {
  readonly #known = new RecentMap<AbsolutePath, { readonly state: string; readonly value: Value }>(
    MOST_FOLDERS,
  );

  /** What was read of this state before, or is read now. */
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

/** Git's functions for text end at a NUL, wherever it stands: what is behind it would be read here alone. */
function readGitFile(path: AbsolutePath, last: Known | null): Known {
  try {
    using file = openPlainFile(systemPath(path));
    if (file === null) return { whole: "", file: unread(NO_FILE) };
    if (file.stats.size > MOST_BYTES) return { whole: "", file: unread("is larger than 1 MiB") };
    const whole = pathFromBytes(file.read());
    return last?.whole === whole && whole !== "" ? last : { whole, file: gitFileOf(whole) };
  } catch (cause) {
    return { whole: "", file: codeOf(cause) === "ENOENT" ? SAYS_NOTHING : unread(CLOSED) };
  }
}

function gitFileOf(text: string): GitFile {
  const characters = text.length;
  if (text.includes("\0")) return { ...unread("holds a NUL"), characters };
  const { isBounded, ...config } = readGitConfig(text);
  return isBounded
    ? { text, characters, ...config, unread: null }
    : { ...unread("names too much"), characters };
}

const NO_FILE = "is no plain file";

function unread(why: string): GitFile {
  return { ...SAYS_NOTHING, unread: why };
}

/** The device from which nothing is ever read (null(4)): 1:3 on Linux, 3:2 on macOS, where 24 bits tell the minor number. */
const NULL_DEVICE = process.platform === "darwin" ? 0x3000002 : 0x103;

function isNull(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === NULL_DEVICE;
}

function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}
