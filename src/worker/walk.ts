import type { BigIntStats } from "node:fs";
import {
  type AbsolutePath,
  isAbsolutePath,
  joinPath,
  knownPath,
  namesOf,
  pathFromBytes,
  pathToBytes,
} from "../profile/path.ts";
import type { LinkEnd } from "../tool/files/protocol.ts";
import { type Descriptor, linkText } from "./descriptor.ts";
import { at, codeOf, Fault, faultFrom, isChanged } from "./faults.ts";
import type { Grants, OpenFolder } from "./grants.ts";

/** What stands at the end of a path, and the folder that holds it. */
export interface Place extends Disposable {
  /** Where the path leads: canonical, and what the kernel calls it. */
  readonly path: AbsolutePath;
  /** The folder that holds the last name; of a missing path, the nearest one that is there. Null when a link led to a folder from inside. */
  readonly folder: OpenFolder | null;
  /** The names behind `folder`: one, or of a missing path all that are not there. */
  readonly names: readonly string[];
  readonly node: Node | null;
}

/** An inode at the end of a path. */
export interface Node {
  readonly descriptor: Descriptor;
  readonly stat: BigIntStats;
}

/** As the kernel: path_resolution(7). */
const MOST_LINKS = 40;
/** A tree that changes under the walk is walked this often. */
const MOST_WALKS = 8;
/** `PATH_MAX` without the NUL. */
const MOST_PATH_BYTES = 4095;

/**
 * Finds what a path leads to, name by name, each opened in the folder before it, so that nothing that is swapped on the
 * way can lead elsewhere unseen: links are read and walked by the same rules, and in the end the kernel's own name for
 * what was reached must be the path that was walked. Only then it can be asked whether that path is granted, and what is
 * read is read through the descriptor. That a tree never holds still is `CHANGED`.
 * Throws `CHANGED`, `NOT_FOUND` (`..` behind a missing name), `WRONG_KIND` (a file on the way), `BAD_PATH`, `SYSTEM`;
 * `DENIED` instead of any of these where the profile does not even let be told what is there.
 */
export function walk(grants: Grants, wanted: string, end: LinkEnd): Place {
  const names = readWanted(wanted);
  // What `..` leads to only the walk itself finds out.
  const isPlain = !names.includes("..");
  for (let attempt = 0; attempt < MOST_WALKS; attempt += 1) {
    const place = tryWalk(grants, names, end, isPlain && attempt === 0);
    if (place !== null) return place;
  }
  throw new Fault("CHANGED", wanted, "what is on the way to it keeps changing");
}

/** The names of a path as somebody wrote it, from `/` on: `//` and `.` say nothing, `..` is left to the walk. */
function readWanted(text: string): readonly string[] {
  const spelled = text.isWellFormed() ? text : pathFromBytes(pathToBytes(text));
  if (!spelled.startsWith("/") || spelled.includes("\0"))
    throw new Fault("BAD_PATH", text, "it is not absolute, or holds NUL");
  if (pathToBytes(spelled).length > MOST_PATH_BYTES) throw new Fault("BAD_PATH", text, "ENAMETOOLONG");
  return namesIn(spelled);
}

/**
 * A path in its one spelling. Bytes that are UTF-8 may come escaped: one file would have two names, and a mask would
 * know one of them.
 */
export function readPath(text: string): AbsolutePath {
  const path = text.isWellFormed() ? text : pathFromBytes(pathToBytes(text));
  if (!isAbsolutePath(path)) throw new Fault("BAD_PATH", path, "it is not absolute or not canonical");
  if (path.length > MOST_PATH_BYTES || pathToBytes(path).length > MOST_PATH_BYTES)
    throw new Fault("BAD_PATH", path, "ENAMETOOLONG");
  return path;
}

function tryWalk(grants: Grants, names: readonly string[], end: LinkEnd, fromGrant: boolean): Place | null {
  const trail = new Trail(grants, names, fromGrant);
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

/** Something was there and then another thing was: the walk begins again. */
class Moved extends Error {
  override readonly name = "Moved";
}

/** The error as a fault; of what lies where nothing may be told, only that it is denied. */
function inWords(grants: Grants, trail: Trail, error: unknown): unknown {
  const { path } = trail;
  const fault = faultFrom(error, path);
  if (!(fault instanceof Fault) || grants.canTell(path, "file")) return fault;
  return new Fault("DENIED", path, "the profile does not let it be read", "read");
}

function follow(trail: Trail, end: LinkEnd): Place {
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
        throw node.stat.isDirectory() ? new Moved() : new Fault("WRONG_KIND", trail.path, "ENOTDIR");
      links += 1;
      if (links > MOST_LINKS) throw new Fault("BAD_PATH", trail.path, "ELOOP");
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

/** The folders that a walk has come through, and the names it still has before it. */
class Trail implements Disposable {
  /** Where the walk is, or was when it failed. */
  path: AbsolutePath;
  readonly #root: OpenFolder;
  readonly #opened: Descriptor[] = [];
  #folders: OpenFolder[];
  /** Last first. */
  #names: string[];

  constructor(grants: Grants, names: readonly string[], fromGrant: boolean) {
    this.#root = grants.root;
    // From above the path itself, so that the folder that holds the last name is always among those opened.
    const start = fromGrant ? grants.nearest(knownPath(`/${names.slice(0, -1).join("/")}`)) : grants.root;
    this.path = start.path;
    this.#folders = [start];
    this.#names = names.slice(namesOf(start.path).length).reverse();
  }

  get top(): OpenFolder {
    return this.#folders.at(-1) ?? this.#root;
  }

  get isLast(): boolean {
    return this.#names.length === 0;
  }

  /** As the disk spells it. */
  next(): string | undefined {
    const name = this.#names.pop();
    return name === undefined || name === ".." ? name : this.top.descriptor.spelled(name);
  }

  /** Goes into a folder; false when it is none. */
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

  /** What stands at a name; null for nothing. */
  look(name: string): Node | null {
    this.path = joinPath(this.top.path, name);
    try {
      const descriptor = this.#hold(this.top.descriptor.place(name));
      return { descriptor, stat: descriptor.stat() };
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    }
  }

  /** To the real folder above, as the kernel does. */
  up(): void {
    const { path } = this.top;
    if (this.#folders.length > 1) this.#folders.pop();
    else if (path !== "/") this.#restart(path.slice(0, path.lastIndexOf("/")));
    this.path = this.top.path;
  }

  /** On along what a link says. */
  turn(text: string): void {
    if (text.startsWith("/")) this.#restart("");
    this.#names.push(...namesIn(text).reverse());
  }

  here(): Place {
    const { descriptor, path } = this.top;
    return this.#place(path, this.#folders.at(-2) ?? null, [], { descriptor, stat: descriptor.stat() });
  }

  found(name: string, node: Node): Place {
    return this.#place(this.path, this.top, [name], node);
  }

  missing(name: string): Place {
    const names = [name, ...this.#names.toReversed()];
    if (names.includes("..")) throw new Fault("NOT_FOUND", this.path, "ENOENT");
    return this.#place(joinPath(this.top.path, names.join("/")), this.top, names, null);
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#opened.splice(0)) descriptor[Symbol.dispose]();
  }

  #restart(before: string): void {
    this.#folders = [this.#root];
    this.#names.push(...namesIn(before).reverse());
  }

  #hold(descriptor: Descriptor): Descriptor {
    this.#opened.push(descriptor);
    return descriptor;
  }

  #place(path: AbsolutePath, folder: OpenFolder | null, names: readonly string[], node: Node | null): Place {
    return { path: readPath(path), folder, names, node, [Symbol.dispose]: () => this[Symbol.dispose]() };
  }
}

function namesIn(text: string): string[] {
  return text.split("/").filter((name) => name !== "" && name !== ".");
}

/** The folder and name of a place, where a name is made, replaced or removed. */
export function holderOf(place: Place): { readonly folder: OpenFolder; readonly name: string } {
  const name = place.names.at(-1);
  if (place.folder === null || name === undefined)
    throw new Fault("WRONG_KIND", place.path, "a folder that has no name here");
  return { folder: place.folder, name };
}

/** Throws `CHANGED` unless the folder still is where it was found: right before a name in it is changed. */
export function holdStill(folder: OpenFolder): void {
  const isThere = at(folder.path, () => folder.descriptor.isAt(folder.path));
  if (!isThere) throw new Fault("CHANGED", folder.path, "the folder was moved");
}
