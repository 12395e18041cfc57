import type { Errno } from "./errno.ts";
import { joined, keyOf } from "./names.ts";

interface Node {
  /** The inode's number: what stays the same when its names change. */
  readonly id: number;
  readonly volume: string;
  readonly mode: number;
  readonly owner: number;
  readonly nlink: number;
  /** As `utimes` set it; a write leaves it, so that what an audit tells apart stays apart. */
  readonly mtime: number;
  readonly xattrs: ReadonlyMap<string, string>;
}

/** One name in a folder, as it is spelled on the disk. */
export interface Entry {
  readonly name: string;
  readonly node: number;
  /** True for the second way to a folder whose canonical path is elsewhere. */
  readonly isFirmlink?: true;
}

/** A folder; it has one place, which its canonical path is made of. */
export interface Folder extends Node {
  readonly vnode: "DIRECTORY";
  /** By `keyOf` of the name. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Where it stands, by its canonical path; the root stands in itself. */
  readonly parent: number;
  readonly name: string;
  /** True for a volume's root and for a firmlinked folder, which nobody can rename or remove. */
  readonly isPinned: boolean;
}

/** A file; bytes are told as text, which tests can read. */
export interface File extends Node {
  readonly vnode: "REGULAR-FILE";
  readonly bytes: string;
}

/** A symbolic link, whose target is text until a path passes through. */
export interface Symlink extends Node {
  readonly vnode: "SYMLINK";
  readonly target: string;
}

/** What has no bytes of its own: reading it gives none, writing to it changes nothing. */
export interface Device extends Node {
  readonly vnode: "CHARACTER-DEVICE" | "BLOCK-DEVICE" | "TTY" | "FIFO";
}

/** Who answers at a unix socket. */
export type Listener = "host" | "sandbox" | "nobody";

/** The name of a unix socket. */
export interface Socket extends Node {
  readonly vnode: "SOCKET";
  readonly listener: Listener;
}

/** What stands behind a name. Never changed in place: a change puts another one under the same number. */
export type Inode = Folder | File | Symlink | Device | Socket;

/** How a file system was made. Names are equal in composed and decomposed spelling on each. */
export interface Volume {
  readonly isCaseSensitive: boolean;
  readonly isReadOnly: boolean;
}

/** An open file: what it is, by which rights, and the name by which it was opened. */
export interface Descriptor {
  readonly node: number;
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly folder: number;
  readonly name: string;
}

/**
 * A Mac's files, and one process in its sandbox that works on them. The tables may be changed, what is in them may not, so
 * that `copyOf` costs as little as two tables.
 */
export interface World {
  readonly nodes: Map<number, Inode>;
  readonly descriptors: Map<number, Descriptor>;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly root: number;
  readonly uid: number;
  cwd: number;
  nextId: number;
  /** Grows with every change of a file. */
  version: number;
}

/** The same world, to be changed apart from this one. */
export function copyOf(world: World): World {
  return { ...world, nodes: new Map(world.nodes), descriptors: new Map(world.descriptors) };
}

/** What has this number. Throws for a number that nothing ever had: a defect of the world, not of a call. */
export function nodeOf(world: World, id: number): Inode {
  const node = world.nodes.get(id);
  if (node === undefined) throw new Error(`no inode has the number ${id}`);
  return node;
}

/** The folder that has this number. Throws when it is none. */
export function folderOf(world: World, id: number): Folder {
  const node = nodeOf(world, id);
  if (node.vnode !== "DIRECTORY") throw new Error(`the inode ${id} is no folder`);
  return node;
}

/** The volume that something stands on. */
export function volumeOf(world: World, node: Inode): Volume {
  const volume = world.volumes.get(node.volume);
  if (volume === undefined) throw new Error(`there is no volume \`${node.volume}\``);
  return volume;
}

/** What a folder has under a name, in whatever spelling its volume takes for the same. */
export function entryOf(world: World, folder: Folder, name: string): Entry | undefined {
  return folder.entries.get(keyOf(name, volumeOf(world, folder).isCaseSensitive));
}

/** The canonical path of a folder, as the kernel tells it for the vnode. */
export function pathOf(world: World, folder: Folder): string {
  if (folder.id === world.root) return "/";
  let path = "";
  for (let at = folder; at.id !== world.root; at = folderOf(world, at.parent)) path = `/${at.name}${path}`;
  return path;
}

/** The path at which an open file is, by the name that it was opened under and the renames since. */
export function pathOfDescriptor(world: World, { node, folder, name }: Descriptor): string {
  const opened = nodeOf(world, node);
  if (opened.vnode === "DIRECTORY") return pathOf(world, opened);
  return joined(pathOf(world, folderOf(world, folder)), name);
}

/** True when a folder is another one or lies in it. */
export function isIn(world: World, folder: Folder, outer: number): boolean {
  let at = folder;
  while (at.id !== outer && at.id !== world.root) at = folderOf(world, at.parent);
  return at.id === outer;
}

/** The rights of a mode's digit: what a process may do to a node. */
export const RIGHTS = { read: 4, write: 2, search: 1, execute: 1 } as const;

/** True when the mode of a node gives the process a right. Groups are not told apart from the others. */
export function hasRight(world: World, node: Inode, right: keyof typeof RIGHTS): boolean {
  if (world.uid === 0) return right !== "execute" || (node.mode & 0o111) !== 0;
  const digit = world.uid === node.owner ? node.mode >> 6 : node.mode;
  return (digit & RIGHTS[right]) !== 0;
}

/** Why names in a folder may not be changed by plain Unix, or undefined when they may. */
export function folderProblem(world: World, folder: Folder): Errno | undefined {
  if (volumeOf(world, folder).isReadOnly) return "EROFS";
  return hasRight(world, folder, "write") && hasRight(world, folder, "search") ? undefined : "EACCES";
}

/** Why this name may not be taken away by plain Unix, or undefined when it may. */
export function removalProblem(world: World, folder: Folder, node: Inode): Errno | undefined {
  if (node.vnode === "DIRECTORY" && node.isPinned) return "EBUSY";
  const problem = folderProblem(world, folder);
  if (problem !== undefined) return problem;
  const isSticky = (folder.mode & 0o1000) !== 0;
  const isOwner = world.uid === 0 || world.uid === folder.owner || world.uid === node.owner;
  return isSticky && !isOwner ? "EPERM" : undefined;
}
