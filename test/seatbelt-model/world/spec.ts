import { attach, attachFirmlink, born, put } from "./change.ts";
import { joined, partsOf } from "./names.ts";
import { resolve } from "./resolve.ts";
import {
  entryOf,
  type Folder,
  folderOf,
  type Inode,
  type Listener,
  nodeOf,
  pathOf,
  type Volume,
  type World,
} from "./world.ts";

interface Plant {
  readonly path: string;
  /** Of its folder's owner, and with the usual mode of its kind, unless told. */
  readonly owner?: number;
  readonly mode?: number;
}

/** One thing to put into a new world. Folders above it are made when no line has put them; a later line adds to an earlier. */
export type Planted =
  | (Plant & { readonly kind: "folder" })
  | (Plant & {
      readonly kind: "file";
      readonly bytes?: string;
      readonly xattrs?: Readonly<Record<string, string>>;
    })
  | (Plant & { readonly kind: "symlink"; readonly target: string })
  /** A second name of the file `to`. */
  | (Plant & { readonly kind: "hard-link"; readonly to: string })
  /** A folder of the volume where `alsoAt` is, seen there too; its canonical path is `path`. */
  | (Plant & { readonly kind: "firmlink"; readonly alsoAt: string })
  | (Plant & {
      readonly kind: "device";
      readonly vnode: "CHARACTER-DEVICE" | "BLOCK-DEVICE" | "TTY" | "FIFO";
    })
  | (Plant & { readonly kind: "socket"; readonly listener: Listener })
  /** The root of another volume; `/` is one already, and a line for it says how it is. */
  | (Plant & { readonly kind: "volume"; readonly isCaseSensitive?: boolean; readonly isReadOnly?: boolean });

/** The process in a new world, and the owner of its root. */
export interface Start {
  readonly uid?: number;
  readonly cwd?: string;
  /** What is open for reading and writing from the start. */
  readonly descriptors?: Readonly<Record<number, string>>;
}

/**
 * A world with these things in it, in their order: `worldOf([{ path: "/w/a", kind: "file", bytes: "x" }])`. All is the
 * process's own unless a line says otherwise. Throws for a line that can't be put where it says.
 */
export function worldOf(planted: readonly Planted[], start: Start = {}): World {
  const { uid = USER, cwd = "/", descriptors = {} } = start;
  const volumes = new Map<string, Volume>([["/", volume({})]]);
  const world: World = {
    nodes: new Map(),
    descriptors: new Map(),
    volumes,
    root: 1,
    uid,
    cwd: 1,
    nextId: 1,
    version: 0,
  };
  put(world, { ...folder(world, "/", uid, 0o755), parent: 1, nlink: 1, isPinned: true });
  for (const plant of planted) addTo(world, volumes, plant);
  world.cwd = found(world, cwd).node.id;
  for (const [number, path] of Object.entries(descriptors)) {
    const { node, folder: parent, name } = found(world, path);
    const open = { node: node.id, canRead: true, canWrite: true, folder: parent.id, name };
    world.descriptors.set(Number(number), open);
  }
  return world;
}

/** The user whose Mac it is, as the first one that macOS makes is numbered. */
export const USER = 501;

function addTo(world: World, volumes: Map<string, Volume>, plant: Planted): void {
  const parts = partsOf(plant.path);
  const name = parts.at(-1);
  if (name === undefined) {
    if (plant.kind === "volume") volumes.set("/", volume(plant));
    change(world, nodeOf(world, world.root), plant);
    return;
  }
  const parent = madeFolder(world, parts.slice(0, -1));
  const old = entryOf(world, parent, name);
  if (old !== undefined) change(world, nodeOf(world, old.node), plant);
  else if (plant.kind === "hard-link") attach(world, parent.id, name, found(world, plant.to).node.id);
  else plantNew(world, volumes, plant, parent, name);
}

type New = Exclude<Planted, { kind: "hard-link" }>;

function plantNew(
  world: World,
  volumes: Map<string, Volume>,
  plant: New,
  parent: Folder,
  name: string,
): void {
  const node = inode(world, volumes, plant, parent.volume, plant.owner ?? parent.owner);
  put(world, node);
  attach(world, parent.id, name, node.id);
  if (plant.kind !== "firmlink") return;
  const also = partsOf(plant.alsoAt);
  attachFirmlink(world, madeFolder(world, also.slice(0, -1)).id, also.at(-1) ?? "", node.id);
}

function inode(world: World, volumes: Map<string, Volume>, plant: New, on: string, owner: number): Inode {
  const mode = plant.mode ?? MODES[plant.kind];
  switch (plant.kind) {
    case "folder":
      return folder(world, on, owner, mode);
    case "firmlink": {
      const at = madeFolder(world, partsOf(plant.alsoAt).slice(0, -1));
      return { ...folder(world, at.volume, owner, mode), isPinned: true };
    }
    case "volume":
      volumes.set(plant.path, volume(plant));
      return { ...folder(world, plant.path, owner, mode), isPinned: true };
    case "file": {
      const xattrs = new Map(Object.entries(plant.xattrs ?? {}));
      return {
        ...born(world, on, { mode, owner, xattrs }),
        vnode: "REGULAR-FILE",
        bytes: plant.bytes ?? "",
      };
    }
    case "symlink":
      return { ...born(world, on, { mode, owner }), vnode: "SYMLINK", target: plant.target };
    case "device":
      return { ...born(world, on, { mode, owner }), vnode: plant.vnode };
    case "socket":
      return { ...born(world, on, { mode, owner }), vnode: "SOCKET", listener: plant.listener };
  }
}

const MODES = {
  folder: 0o755,
  firmlink: 0o755,
  volume: 0o755,
  file: 0o644,
  symlink: 0o755,
  device: 0o666,
  socket: 0o755,
} as const;

function volume({ isCaseSensitive = false, isReadOnly = false }: Partial<Volume>): Volume {
  return { isCaseSensitive, isReadOnly };
}

function folder(world: World, on: string, owner: number, mode: number): Folder {
  const birth = born(world, on, { mode, owner });
  return { ...birth, vnode: "DIRECTORY", entries: new Map(), parent: birth.id, name: "", isPinned: false };
}

/** The folder at a path; each that is not there yet is made, with the owner of the one above. */
function madeFolder(world: World, parts: readonly string[]): Folder {
  let at = folderOf(world, world.root);
  for (const name of parts) {
    const place = resolve(world, joined(pathOf(world, at), name), { asHost: true });
    if (place.kind === "found") {
      at = folderOf(world, place.node.id);
      continue;
    }
    const made = folder(world, at.volume, at.owner, MODES.folder);
    put(world, made);
    attach(world, at.id, name, made.id);
    at = folderOf(world, made.id);
  }
  return at;
}

/** A line for what is there already: a folder's mode and owner, a file's bytes. */
function change(world: World, node: Inode, plant: Planted): void {
  const { owner = node.owner, mode = node.mode } = plant;
  if (plant.kind === "file" && node.vnode === "REGULAR-FILE")
    put(world, { ...node, owner, mode, bytes: plant.bytes ?? node.bytes });
  else if ((plant.kind === "folder" || plant.kind === "volume") && node.vnode === "DIRECTORY")
    put(world, { ...node, owner, mode });
  else throw new Error(`\`${plant.path}\` is there already, and is not a ${plant.kind}`);
}

function found(world: World, path: string) {
  const place = resolve(world, path, { asHost: true });
  if (place.kind !== "found") throw new Error(`\`${path}\` is not there`);
  return place;
}
