import { keyOf } from "./names.ts";
import { type Entry, type Folder, folderOf, type Inode, nodeOf, volumeOf, type World } from "./world.ts";

/** What a new inode is given from outside; the number, the volume and the count of its names come by themselves. */
export interface Birth {
  readonly mode: number;
  readonly owner: number;
  readonly xattrs?: ReadonlyMap<string, string>;
}

/** The fields that every new inode has, in the order of births. */
export function born(world: World, volume: string, { mode, owner, xattrs = NO_XATTRS }: Birth) {
  const id = world.nextId++;
  return { id, volume, mode, owner, nlink: 0, mtime: 0, xattrs };
}

/** Puts an inode into the world, in place of what had its number. */
export function put(world: World, node: Inode): void {
  world.nodes.set(node.id, node);
  world.version++;
}

/** Gives an inode a name in a folder, which has none that is the same. A folder's one place is then there. */
export function attach(world: World, folderId: number, name: string, id: number): void {
  const folder = folderOf(world, folderId);
  setEntry(world, folder, { name, node: id });
  const node = nodeOf(world, id);
  const nlink = node.nlink + 1;
  put(world, node.vnode === "DIRECTORY" ? { ...node, nlink, parent: folderId, name } : { ...node, nlink });
}

/** Takes a name out of a folder. What it stood for lives on under its other names and in open descriptors. */
export function detach(world: World, folderId: number, name: string): void {
  const folder = folderOf(world, folderId);
  const entries = new Map(folder.entries);
  const key = keyOf(name, volumeOf(world, folder).isCaseSensitive);
  const entry = entries.get(key);
  if (entry === undefined) throw new Error(`there is no \`${name}\` to take out`);
  entries.delete(key);
  put(world, { ...folder, entries });
  const node = nodeOf(world, entry.node);
  put(world, { ...node, nlink: node.nlink - 1 });
}

/** A second way to a folder, whose canonical path stays. */
export function attachFirmlink(world: World, folderId: number, name: string, id: number): void {
  setEntry(world, folderOf(world, folderId), { name, node: id, isFirmlink: true });
}

/** One name: the folder that has it, and its spelling. */
export interface Name {
  readonly folder: number;
  readonly name: string;
}

/** Moves one name; what is open under it, or under what it replaces, keeps being open. */
export function move(world: World, from: Name, to: Name): void {
  const id = idAt(world, from);
  detach(world, from.folder, from.name);
  if (findEntry(world, to) !== undefined) detach(world, to.folder, to.name);
  attach(world, to.folder, to.name, id);
  follow(world, [[id, from, to]]);
}

/** Exchanges what two names stand for. */
export function swap(world: World, one: Name, other: Name): void {
  const [oneId, otherId] = [idAt(world, one), idAt(world, other)];
  detach(world, one.folder, one.name);
  detach(world, other.folder, other.name);
  attach(world, one.folder, one.name, otherId);
  attach(world, other.folder, other.name, oneId);
  follow(world, [
    [oneId, one, other],
    [otherId, other, one],
  ]);
}

const NO_XATTRS: ReadonlyMap<string, string> = new Map();

/** The kernel's vnode has a name and a parent, and a rename changes them: an open file is then at its new path. */
function follow(world: World, moves: readonly (readonly [id: number, from: Name, to: Name])[]): void {
  for (const [number, open] of [...world.descriptors]) {
    const made = moves.find(
      ([id, from]) => id === open.node && from.folder === open.folder && from.name === open.name,
    );
    if (made !== undefined) world.descriptors.set(number, { ...open, ...made[2] });
  }
}

function setEntry(world: World, folder: Folder, entry: Entry): void {
  const key = keyOf(entry.name, volumeOf(world, folder).isCaseSensitive);
  put(world, { ...folder, entries: new Map(folder.entries).set(key, entry) });
}

function findEntry(world: World, { folder, name }: Name): Entry | undefined {
  const { entries, ...rest } = folderOf(world, folder);
  return entries.get(keyOf(name, volumeOf(world, { ...rest, entries }).isCaseSensitive));
}

function idAt(world: World, name: Name): number {
  const entry = findEntry(world, name);
  if (entry === undefined) throw new Error(`there is no \`${name.name}\` to move`);
  return entry.node;
}
