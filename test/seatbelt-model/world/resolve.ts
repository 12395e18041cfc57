import { type Fails, fails } from "./errno.ts";
import { joined, LINKS_MAX, nameProblem, partsOf, pathProblem } from "./names.ts";
import { entryOf, type Folder, folderOf, hasRight, type Inode, nodeOf, pathOf, type World } from "./world.ts";

/** A symbolic link that a path passed through, by its own canonical path. */
export interface Hop {
  readonly path: string;
  readonly target: string;
}

/** Something stands at the path. */
export interface Found {
  readonly kind: "found";
  /** What the kernel matches rules on: canonical, in the spelling of the disk. */
  readonly path: string;
  readonly node: Inode;
  readonly folder: Folder;
  /** The last name as it is on the disk. */
  readonly name: string;
  /** The last name as it was asked for. */
  readonly given: string;
  /** True when the path ends in `.` or `..`. */
  readonly isDotted: boolean;
  readonly hops: readonly Hop[];
}

/** Nothing stands there, but its folder does: something can be made. */
export interface Missing {
  readonly kind: "missing";
  /** The folder's canonical path and the name as it was asked for. */
  readonly path: string;
  readonly folder: Folder;
  readonly name: string;
  /** True after a slash at the end: only a folder can be made. */
  readonly mustBeFolder: boolean;
  readonly hops: readonly Hop[];
}

/** Where a path leads. */
export type Place = Found | Missing | Fails;

/** How a path is looked up. */
export interface Lookup {
  /** Whether a symbolic link at the path's end is passed through; one that a slash follows always is. */
  readonly follows?: boolean;
  /** The folder that a relative path starts at; the working folder, unless told. */
  readonly from?: number;
  /** True for the host's look at its own files, which no mode stops. */
  readonly asHost?: boolean;
  /** Which path is told for what was reached through a firmlink. */
  readonly firmlinkPaths?: "canonical" | "as-given";
}

/**
 * Where a path leads, as macOS walks it: a link's target in place of the link, `..` after that, names in any spelling that
 * the volume takes for the same. At most 32 links. One loop, since every step of it needs where the one before came to.
 */
export function resolve(world: World, text: string, lookup: Lookup = {}): Place {
  const { follows = true, from = world.cwd, asHost = false, firmlinkPaths = "canonical" } = lookup;
  const problem = pathProblem(text);
  if (problem !== undefined) return fails(problem);

  const root = folderOf(world, world.root);
  const hops: Hop[] = [];
  const pending = partsOf(text).toReversed();
  let mustBeFolder = text.endsWith("/");
  let at: Inode = text.startsWith("/") ? root : folderOf(world, from);
  if (at.id !== root.id && at.nlink === 0) return fails("ENOENT");
  let alias: Alias | undefined;
  let last = { name: ".", given: ".", isDotted: true, folder: root };

  for (let given = pending.pop(); given !== undefined; given = pending.pop()) {
    if (at.vnode !== "DIRECTORY") return fails("ENOTDIR");
    if (!asHost && !hasRight(world, at, "search")) return fails("EACCES");
    if (given === "." || given === "..") {
      if (given === "..") at = folderOf(world, at.parent);
      if (alias !== undefined && !isBelow(pathOf(world, at), alias)) alias = undefined;
      last = { name: given, given, isDotted: true, folder: at };
      continue;
    }
    const wrong = nameProblem(given);
    if (wrong !== undefined) return fails(wrong);
    const entry = entryOf(world, at, given);
    if (entry === undefined) {
      if (pending.length > 0) return fails("ENOENT");
      const path = joined(spelled(pathOf(world, at), alias), given);
      return { kind: "missing", path, folder: at, name: given, mustBeFolder, hops };
    }
    const node = nodeOf(world, entry.node);
    if (node.vnode === "SYMLINK" && (follows || mustBeFolder || pending.length > 0)) {
      if (hops.length === LINKS_MAX) return fails("ELOOP");
      hops.push({
        path: joined(spelled(pathOf(world, at), alias), entry.name),
        target: node.target,
      });
      if (node.target === "") return fails("ENOENT");
      if (pending.length === 0 && node.target.endsWith("/")) mustBeFolder = true;
      pending.push(...partsOf(node.target).toReversed());
      if (node.target.startsWith("/")) {
        at = root;
        alias = undefined;
      }
      last = { name: ".", given: ".", isDotted: true, folder: at };
      continue;
    }
    last = { name: entry.name, given, isDotted: false, folder: at };
    if (entry.isFirmlink === true && firmlinkPaths === "as-given" && node.vnode === "DIRECTORY")
      alias = { path: joined(pathOf(world, at), entry.name), canonical: pathOf(world, node) };
    at = node;
  }

  if (at.vnode === "DIRECTORY")
    return {
      kind: "found",
      path: spelled(pathOf(world, at), alias),
      node: at,
      folder: folderOf(world, at.parent),
      name: at.name,
      given: last.isDotted ? at.name : last.given,
      isDotted: last.isDotted && text !== "/" && /(^|\/)\.\.?\/*$/.test(text),
      hops,
    };
  if (mustBeFolder) return fails("ENOTDIR");
  const path = joined(spelled(pathOf(world, last.folder), alias), last.name);
  return { kind: "found", path, node: at, ...last, hops };
}

/** The second way to a firmlinked folder that was gone. */
interface Alias {
  readonly path: string;
  readonly canonical: string;
}

function isBelow(path: string, { canonical }: Alias): boolean {
  return path === canonical || path.startsWith(`${canonical}/`);
}

function spelled(path: string, alias: Alias | undefined): string {
  if (alias === undefined || !isBelow(path, alias)) return path;
  return `${alias.path}${path.slice(alias.canonical.length)}`;
}
