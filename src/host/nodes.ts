import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import type { Node } from "../backend/facts.ts";
import { type AbsolutePath, isAbsolutePath, parentOf, pathFromBytes, pathToBytes } from "../profile/path.ts";

/** Looks at paths once each: what stands there, with every folder above. */
export class NodeLooker {
  readonly found = new Map<AbsolutePath, Node>();
  readonly #missing: ReadonlySet<AbsolutePath>;

  /** Paths in `missing` count as missing whatever stands there. */
  constructor(missing: ReadonlySet<AbsolutePath>) {
    this.#missing = missing;
  }

  /** What stands at the path; folders above it are looked at too. */
  look(path: AbsolutePath): Node {
    const known = this.found.get(path);
    if (known !== undefined) return known;
    const above = path === "/" ? null : this.look(parentOf(path));
    const isMissing = this.#missing.has(path) || above?.kind === "missing" || above?.kind === "file";
    const node = isMissing ? MISSING : nodeOf(path);
    this.found.set(path, node);
    return node;
  }
}

const MISSING: Node = { kind: "missing" };

/** What stands at the path, links not followed; what can't be seen by this user counts as missing. */
export function nodeOf(path: AbsolutePath): Node {
  const stats = statsOf(path);
  if (stats === null) return MISSING;
  const id = `${stats.dev}:${stats.ino}`;
  if (stats.isSymbolicLink()) return { kind: "link", id, target: realPathOf(path) };
  if (stats.isDirectory()) return { kind: "folder", id };
  return { kind: stats.isFile() ? "file" : "other", id };
}

/** A path as `node:fs` takes it: text is quicker, but can't hold bytes that are not UTF-8. */
export function systemPath(path: AbsolutePath): string | Buffer {
  return path.isWellFormed() ? path : Buffer.from(pathToBytes(path));
}

/** `lstat`, or null when there is nothing or it can't be seen. */
export function statsOf(path: AbsolutePath): Stats | null {
  try {
    return lstatSync(systemPath(path), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** What a link says, itself not followed; null for what is none, or can't be seen. */
export function linkAt(path: AbsolutePath): string | null {
  try {
    return pathFromBytes(readlinkSync(systemPath(path), { encoding: "buffer" }));
  } catch {
    return null;
  }
}

/** The path with every link resolved, or null when it leads nowhere. */
export function realPathOf(path: AbsolutePath): AbsolutePath | null {
  try {
    const real = pathFromBytes(realpathSync.native(systemPath(path), { encoding: "buffer" }));
    return isAbsolutePath(real) ? real : null;
  } catch {
    return null;
  }
}
