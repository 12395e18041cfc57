import type { Dirent } from "node:fs";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import type { NodeKind } from "../tool/files/protocol.ts";
import type { Budget } from "./budget.ts";
import { type Descriptor, fromRaw } from "./descriptor.ts";
import { codeOf, isGone } from "./faults.ts";
import type { GrantedFolder, GrantedFolders } from "./grants.ts";
import { rawNames, statOf } from "./names.ts";
import { kindOf } from "./node.ts";

/** A name in a walk. `folder` is open until the next one. */
export interface WalkedEntry {
  readonly folder: GrantedFolder;
  readonly name: string;
  readonly path: AbsolutePath;
  readonly kind: NodeKind;
}

/**
 * Everything below a folder except folders, in byte order, each folder at the position of its name. No link is
 * followed. Unreadable folders and those moved during the walk are skipped. Ends when the budget does.
 */
export function* filesBelow(
  grants: GrantedFolders,
  top: GrantedFolder,
  budget: Budget,
): Generator<WalkedEntry> {
  using stack = new Stack();
  stack.push(top, null);
  for (let level = stack.top; level !== undefined; level = stack.top) {
    const entry = level.next();
    if (entry === undefined) {
      stack.pop();
      continue;
    }
    if (!budget.passEntry()) return;
    if (entry.kind !== "folder") yield entry;
    else if (grants.canRead(entry.path, "folder")) {
      const descriptor = openStill(entry);
      if (descriptor !== null) stack.push({ descriptor, path: entry.path }, descriptor);
    }
  }
}

/** A folder that is still where its name was read; null if it is not. */
function openStill({ folder, name, path }: WalkedEntry): Descriptor | null {
  let descriptor: Descriptor | null = null;
  try {
    descriptor = folder.descriptor.folder(name);
    if (descriptor.isAt(path)) return descriptor;
  } catch (error) {
    if (!isPassedBy(error)) {
      descriptor?.[Symbol.dispose]();
      throw error;
    }
  }
  descriptor?.[Symbol.dispose]();
  return null;
}

/** Gone, not readable for us, or too deep to have a path: none of these ends the whole walk. */
function isPassedBy(error: unknown): boolean {
  return isGone(error) || ["EACCES", "EPERM", "ENAMETOOLONG"].includes(codeOf(error) ?? "");
}

class Stack implements Disposable {
  readonly #levels: Level[] = [];

  get top(): Level | undefined {
    return this.#levels.at(-1);
  }

  push(folder: GrantedFolder, owned: Descriptor | null): void {
    this.#levels.push(new Level(folder, owned));
  }

  pop(): void {
    this.#levels.pop()?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    while (this.top !== undefined) this.pop();
  }
}

class Level implements Disposable {
  readonly #folder: GrantedFolder;
  readonly #owned: Descriptor | null;
  readonly #entries: readonly Dirent[] | readonly string[];
  #next = 0;

  constructor(folder: GrantedFolder, owned: Descriptor | null) {
    this.#folder = folder;
    this.#owned = owned;
    this.#entries = entriesOf(folder.descriptor);
  }

  next(): WalkedEntry | undefined {
    const entry = this.#entries[this.#next];
    if (entry === undefined) return undefined;
    this.#next += 1;
    const raw = typeof entry === "string" ? entry : entry.name;
    const name = fromRaw(raw);
    const kind = (typeof entry === "string" ? null : kindIn(entry)) ?? this.#kindAt(name);
    return { folder: this.#folder, name, path: joinPath(this.#folder.path, name), kind };
  }

  #kindAt(name: string): NodeKind {
    const stat = statOf(this.#folder.descriptor, name);
    return stat === null ? "missing" : kindOf(stat);
  }

  [Symbol.dispose](): void {
    this.#owned?.[Symbol.dispose]();
  }
}

/** Names with their kinds, which most file systems return without a look at each; else the names alone. */
function entriesOf(folder: Descriptor): readonly Dirent[] | readonly string[] {
  try {
    return folder.entries().sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return rawNames(folder);
    if (isPassedBy(error)) return [];
    throw error;
  }
}

function kindIn(entry: Dirent): NodeKind | null {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  if (entry.isSymbolicLink()) return "link";
  return entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()
    ? "other"
    : null;
}
