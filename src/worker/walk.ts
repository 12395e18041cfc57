import type { BigIntStats } from "node:fs";
import {
  type AbsolutePath,
  isAbsolutePath,
  joinPath,
  knownPath,
  namesInText,
  namesOf,
  pathFromBytes,
  pathToBytes,
} from "../profile/path.ts";
import type { LinkEnd } from "../tool/files/protocol.ts";
import { type Descriptor, linkText } from "./descriptor.ts";
import { at, codeOf, faultFrom, isChanged, WorkerFault } from "./faults.ts";
import type { GrantedFolder, GrantedFolders } from "./grants.ts";

/** The node at the end of a path, and the folder that holds it. */
export interface WalkedPlace extends Disposable {
  /** The target of the path: canonical, and equal to the kernel's name. */
  readonly path: AbsolutePath;
  /** The folder of the last, or first missing, name. Null if a link led to a folder from inside. */
  readonly folder: GrantedFolder | null;
  /** The names below `folder`: one, or for a missing path all that are missing. */
  readonly names: readonly string[];
  readonly node: WalkedInode | null;
}

/** An inode at the end of a path. */
export interface WalkedInode {
  readonly descriptor: Descriptor;
  readonly stat: BigIntStats;
}

/** The kernel's own limit: path_resolution(7). */
const MAX_LINKS = 40;
/** Maximum of walks through a tree that changes meanwhile. */
const MAX_WALKS = 8;
/** `PATH_MAX` without the NUL. */
const MAX_PATH_BYTES = 4095;

/**
 * Finds the target of a path, name by name, each opened in the folder before it, so that nothing swapped on the way can
 * lead elsewhere unseen. Links are read and walked by the same rules, and in the end the kernel's own name for the
 * target must be the path that was walked. Only then can that path be checked against the grants, and it is read
 * through the descriptor. A tree that keeps changing is `CHANGED`.
 * Throws `CHANGED`, `NOT_FOUND` (`..` after a missing name), `WRONG_KIND` (a file on the way), `BAD_PATH`, `SYSTEM`;
 * `DENIED` instead of any of these if the profile does not even allow existence to be reported.
 */
export function walk(grants: GrantedFolders, wanted: string, end: LinkEnd): WalkedPlace {
  const names = readWanted(wanted);
  // Only the walk itself finds the target of `..`.
  const isPlain = !names.includes("..");
  for (let attempt = 0; attempt < MAX_WALKS; attempt += 1) {
    const place = tryWalk(grants, names, end, isPlain && attempt === 0);
    if (place !== null) return place;
  }
  throw new WorkerFault("CHANGED", wanted, "folders or links on its path keep changing");
}

/** The names of a path as written, from `/` on: `//` and `.` are dropped, `..` is left to the walk. */
function readWanted(text: string): readonly string[] {
  const spelled = text.isWellFormed() ? text : pathFromBytes(pathToBytes(text));
  if (!spelled.startsWith("/") || spelled.includes("\0"))
    throw new WorkerFault("BAD_PATH", text, "it is not absolute, or contains NUL");
  if (pathToBytes(spelled).length > MAX_PATH_BYTES) throw new WorkerFault("BAD_PATH", text, "ENAMETOOLONG");
  return namesInText(spelled);
}

/** A path in canonical spelling. Escaped UTF-8 would give one file two names, of which a mask knows one. */
export function readPath(text: string): AbsolutePath {
  const path = text.isWellFormed() ? text : pathFromBytes(pathToBytes(text));
  if (!isAbsolutePath(path)) throw new WorkerFault("BAD_PATH", path, "it is not absolute or not canonical");
  if (path.length > MAX_PATH_BYTES || pathToBytes(path).length > MAX_PATH_BYTES)
    throw new WorkerFault("BAD_PATH", path, "ENAMETOOLONG");
  return path;
}

function tryWalk(
  grants: GrantedFolders,
  names: readonly string[],
  end: LinkEnd,
  fromGrant: boolean,
): WalkedPlace | null {
  const trail = new WalkPosition(grants, names, fromGrant);
  let isKept = false;
  try {
    const place = follow(trail, end);
    const [seen, seenPath] =
      place.node === null
        ? [place.folder?.descriptor, place.folder?.path]
        : [place.node.descriptor, place.path];
    isKept = seen !== undefined && seenPath !== undefined && seen.isAt(seenPath);
    return isKept ? place : null;
  } catch (error) {
    if (error instanceof Moved || isChanged(error)) return null;
    throw inWords(grants, trail, error);
  } finally {
    if (!isKept) trail[Symbol.dispose]();
  }
}

/** A node was exchanged during the walk: the walk begins again. */
class Moved extends Error {
  override readonly name = "Moved";
}

/** The error as a fault; only `DENIED` if existence may not be reported. */
function inWords(grants: GrantedFolders, trail: WalkPosition, error: unknown): unknown {
  const { path } = trail;
  const fault = faultFrom(error, path);
  if (!(fault instanceof WorkerFault) || grants.canTell(path, "file")) return fault;
  return new WorkerFault("DENIED", path, "the profile does not allow reading it", "read");
}

function follow(trail: WalkPosition, end: LinkEnd): WalkedPlace {
  for (let links = 0; ; ) {
    const name = trail.next();
    if (name === undefined) return trail.here();
    if (name === "..") trail.up();
    else if (!trail.isLast && trail.enter(name)) continue;
    else {
      const node = trail.look(name);
      if (node === null) return trail.missing(name);
      const isLink = node.stat.isSymbolicLink();
      if (trail.isLast && !(isLink && end === "followed")) return trail.found(name, node);
      if (!isLink)
        throw node.stat.isDirectory() ? new Moved() : new WorkerFault("WRONG_KIND", trail.path, "ENOTDIR");
      links += 1;
      if (links > MAX_LINKS) throw new WorkerFault("BAD_PATH", trail.path, "ELOOP");
      trail.turn(readLink(trail.top.descriptor, name));
    }
  }
}

function readLink(folder: Descriptor, name: string): string {
  try {
    return linkText(folder, name);
  } catch (error) {
    if (["EINVAL", "ENOENT"].includes(codeOf(error) ?? "")) throw new Moved();
    throw error;
  }
}

class WalkPosition implements Disposable {
  /** The position of the walk, also after it failed. */
  path: AbsolutePath;
  readonly #root: GrantedFolder;
  readonly #opened: Descriptor[] = [];
  #folders: GrantedFolder[];
  /** Last first. */
  #names: string[];

  constructor(grants: GrantedFolders, names: readonly string[], fromGrant: boolean) {
    this.#root = grants.root;
    // From above the path itself, so that the folder that holds the last name is always among those opened.
    const start = fromGrant ? grants.nearest(knownPath(`/${names.slice(0, -1).join("/")}`)) : grants.root;
    this.path = start.path;
    this.#folders = [start];
    this.#names = names.slice(namesOf(start.path).length).reverse();
  }

  get top(): GrantedFolder {
    return this.#folders.at(-1) ?? this.#root;
  }

  get isLast(): boolean {
    return this.#names.length === 0;
  }

  next(): string | undefined {
    const name = this.#names.pop();
    return name === undefined || name === ".." ? name : this.top.descriptor.spelled(name);
  }

  /** Enters a folder; false if it is not one. */
  enter(name: string): boolean {
    this.path = joinPath(this.top.path, name);
    try {
      const descriptor = this.#hold(this.top.descriptor.folder(name));
      this.#folders.push({ descriptor, path: this.path });
      return true;
    } catch (error) {
      if (["ENOTDIR", "ELOOP", "ENOENT"].includes(codeOf(error) ?? "")) return false;
      throw error;
    }
  }

  look(name: string): WalkedInode | null {
    this.path = joinPath(this.top.path, name);
    try {
      const descriptor = this.#hold(this.top.descriptor.place(name));
      return { descriptor, stat: descriptor.stat() };
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    }
  }

  /** Goes to the real parent folder, as the kernel does. */
  up(): void {
    const { path } = this.top;
    if (this.#folders.length > 1) this.#folders.pop();
    else if (path !== "/") this.#restart(path.slice(0, path.lastIndexOf("/")));
    this.path = this.top.path;
  }

  turn(text: string): void {
    if (text.startsWith("/")) this.#restart("");
    this.#names.push(...namesInText(text).reverse());
  }

  here(): WalkedPlace {
    const { descriptor, path } = this.top;
    return this.#place(path, this.#folders.at(-2) ?? null, [], { descriptor, stat: descriptor.stat() });
  }

  found(name: string, node: WalkedInode): WalkedPlace {
    return this.#place(this.path, this.top, [name], node);
  }

  missing(name: string): WalkedPlace {
    const names = [name, ...this.#names.toReversed()];
    if (names.includes("..")) throw new WorkerFault("NOT_FOUND", this.path, "ENOENT");
    return this.#place(joinPath(this.top.path, names.join("/")), this.top, names, null);
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#opened.splice(0)) descriptor[Symbol.dispose]();
  }

  #restart(before: string): void {
    this.#folders = [this.#root];
    this.#names.push(...namesInText(before).reverse());
  }

  #hold(descriptor: Descriptor): Descriptor {
    this.#opened.push(descriptor);
    return descriptor;
  }

  #place(
    path: AbsolutePath,
    folder: GrantedFolder | null,
    names: readonly string[],
    node: WalkedInode | null,
  ): WalkedPlace {
    return { path: readPath(path), folder, names, node, [Symbol.dispose]: () => this[Symbol.dispose]() };
  }
}

/** The folder and name of a place at which a name is created, replaced or removed. */
export function holderOf(place: WalkedPlace): { readonly folder: GrantedFolder; readonly name: string } {
  const name = place.names.at(-1);
  if (place.folder === null || name === undefined)
    throw new WorkerFault("WRONG_KIND", place.path, "this folder has no name of its own");
  return { folder: place.folder, name };
}

/** Throws `CHANGED` unless the folder is still where it was found: right before a name in it is changed. */
export function holdStill(folder: GrantedFolder): void {
  const isThere = at(folder.path, () => folder.descriptor.isAt(folder.path));
  if (!isThere) throw new WorkerFault("CHANGED", folder.path, "the folder was moved");
}
