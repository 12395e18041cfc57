import { lstatSync, type Stats, statSync } from "node:fs";
import { sha256 } from "../../profile/digest.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { codeOf } from "../system-error.ts";
import { CLOCK_GRAIN_MS } from "./clock-grain.ts";
import { systemPath } from "./nodes.ts";
import { openPlainFile } from "./plain-file.ts";

/** Larger files are not configs: for them the times count alone. */
const MAX_BYTES = 1024 * 1024;

interface FileState {
  readonly text: string;
  /** The last change of the file or its entry, in milliseconds since 1970; 0 if nothing is there. */
  readonly changedMs: number;
  readonly isFile: boolean;
}

/**
 * The state of some files and folders at one moment, to notice that one was changed, replaced, removed or created since.
 * Nothing is read again as long as no state differs. A change right after another may leave the same times: the content
 * of a file that had just been changed is compared as well.
 */
export class FileStates {
  readonly #states: ReadonlyMap<AbsolutePath, FileState>;
  /** Digests of files that were changed too short a time before. */
  readonly #contents = new Map<AbsolutePath, string>();

  constructor(paths: readonly AbsolutePath[], nowMs: number) {
    this.#states = new Map(paths.map((path) => [path, stateOf(path)]));
    for (const [path, state] of this.#states)
      if (!isSettled(state, nowMs)) this.#contents.set(path, contentOf(path, state));
  }

  /** True if each path has the state that it had then. */
  isSame(nowMs: number): boolean {
    for (const [path, state] of this.#states) if (stateOf(path).text !== state.text) return false;
    for (const [path, content] of this.#contents) {
      const state = stateOf(path);
      if (contentOf(path, state) !== content) return false;
      if (isSettled(state, nowMs)) this.#contents.delete(path);
    }
    return true;
  }

  covers(paths: readonly AbsolutePath[]): boolean {
    return paths.every((path) => this.#states.has(path));
  }

  /** True if each path outside of `known` is there, and had its state before a moment. */
  isOlderThan(momentMs: number, known: FileStates): boolean {
    return [...this.#states].every(
      ([path, state]) => known.covers([path]) || (state.changedMs > 0 && isSettled(state, momentMs)),
    );
  }
}

function isSettled({ changedMs }: FileState, nowMs: number): boolean {
  return changedMs < nowMs - CLOCK_GRAIN_MS;
}

function stateOf(path: AbsolutePath): FileState {
  try {
    const stats = lstatSync(systemPath(path), { throwIfNoEntry: false });
    if (stats === undefined) return MISSING;
    if (!stats.isSymbolicLink()) return ofStats(stats);
    const target = statSync(systemPath(path), { throwIfNoEntry: false });
    const [link, there] = [ofStats(stats), target === undefined ? MISSING : ofStats(target)];
    const changedMs = Math.max(link.changedMs, there.changedMs);
    return { text: `${link.text} ${there.text}`, changedMs, isFile: there.isFile };
  } catch (cause) {
    return { ...MISSING, text: codeOf(cause) };
  }
}

const MISSING: FileState = { text: "", changedMs: 0, isFile: false };

function ofStats(stats: Stats): FileState {
  const { dev, ino, mode, uid, size, mtimeMs, ctimeMs } = stats;
  return {
    text: `${dev}:${ino}:${mode}:${uid}:${size}:${mtimeMs}:${ctimeMs}`,
    // No program can set it to another time (inode(7)).
    changedMs: ctimeMs,
    isFile: stats.isFile() && size <= MAX_BYTES,
  };
}

function contentOf(path: AbsolutePath, { isFile }: FileState): string {
  if (!isFile) return "";
  try {
    using file = openPlainFile(systemPath(path));
    return file === null ? "" : sha256(file.read());
  } catch (cause) {
    return codeOf(cause);
  }
}
