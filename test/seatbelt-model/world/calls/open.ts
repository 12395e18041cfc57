import type { Query } from "../../query.ts";
import { attach, born, put } from "../change.ts";
import { type Fails, fails } from "../errno.ts";
import type { Found, Missing } from "../resolve.ts";
import type { DescriptorNumber, OpenMode, Returned, Syscall } from "../syscall.ts";
import {
  type Descriptor,
  type File,
  folderProblem,
  hasRight,
  nodeOf,
  pathOfDescriptor,
  volumeOf,
  type World,
} from "../world.ts";
import { about, asks, creates, existing, type Plan, reach, type Scene, wayTo } from "./plan.ts";

type Opening = Extract<Syscall, { call: "open" }>;

/** The command of `ioctl` that types into a terminal (`TIOCSTI` of `sys/ttycom.h`). */
export const TIOCSTI = 0x80017472;

/** Opening: what is there is asked about by its rights, what is not by its making. */
export function planOpen(scene: Scene, call: Opening): Plan {
  const { world } = scene;
  const folder = call.at === undefined ? undefined : openAs(world, call.at);
  if (call.at !== undefined && folder === undefined) return fails("EBADF");
  if (folder !== undefined && nodeOf(world, folder.node).vnode !== "DIRECTORY") return fails("ENOTDIR");
  const isFromFolder = folder !== undefined && !call.path.startsWith("/");
  const place = reach(scene, call.path, {
    follows: call.isNofollow !== true && call.creates !== "exclusive",
    ...(isFromFolder ? { from: folder.node } : {}),
  });
  if (place.kind === "fails") return place;
  const way = [...(isFromFolder ? ofFolder(scene, folder) : []), ...wayTo(scene, place)];
  return place.kind === "found" ? openFound(scene, call, place, way) : openMissing(scene, call, place, way);
}

/** Reading through what is open: Seatbelt asked when it was opened, and asks no more. All of the file, from its start. */
export function planRead({ world }: Scene, { descriptor }: Extract<Syscall, { call: "read" }>): Plan {
  const open = openAs(world, descriptor);
  if (open === undefined || !open.canRead) return fails("EBADF");
  const node = nodeOf(world, open.node);
  if (node.vnode === "DIRECTORY") return fails("EISDIR");
  return asks([], () => ({ is: "bytes", bytes: node.vnode === "REGULAR-FILE" ? node.bytes : "" }));
}

/** Writing through what is open: over its first bytes; it grows when it was shorter. */
export function planWrite({ world }: Scene, call: Extract<Syscall, { call: "write" }>): Plan {
  const open = openAs(world, call.descriptor);
  if (open === undefined || !open.canWrite) return fails("EBADF");
  const node = nodeOf(world, open.node);
  return asks([], () => {
    if (node.vnode !== "REGULAR-FILE") return undefined;
    put(world, { ...node, bytes: call.bytes + node.bytes.slice(call.bytes.length) });
    return undefined;
  });
}

/** A device's own command: asked for at the path that the descriptor has now. */
export function planIoctl({ world }: Scene, call: Extract<Syscall, { call: "ioctl" }>): Plan {
  const open = openAs(world, call.descriptor);
  if (open === undefined) return fails("EBADF");
  const { vnode } = nodeOf(world, open.node);
  if (vnode !== "TTY" && vnode !== "CHARACTER-DEVICE") return fails("ENOTTY");
  const path = pathOfDescriptor(world, open);
  return asks([{ operation: "file-ioctl", path, vnode, command: call.command }], () => undefined);
}

/** Shortening or lengthening a file by its path. */
export function planTruncate(scene: Scene, call: Extract<Syscall, { call: "truncate" }>): Plan {
  const place = existing(scene, call.path);
  if (place.kind === "fails") return place;
  const { node } = place;
  if (node.vnode === "DIRECTORY") return fails("EISDIR");
  if (node.vnode !== "REGULAR-FILE") return fails("EINVAL");
  const problem = writeProblem(scene.world, place);
  if (problem !== undefined) return problem;
  return asks([...wayTo(scene, place), about("file-write-data", place)], () => {
    const bytes = node.bytes.slice(0, call.length).padEnd(call.length, "\0");
    put(scene.world, { ...node, bytes });
    return undefined;
  });
}

function openAs(world: World, descriptor: DescriptorNumber): Descriptor | undefined {
  return world.descriptors.get(descriptor === "newest" ? Math.max(...world.descriptors.keys()) : descriptor);
}

function ofFolder({ world, kernel }: Scene, folder: Descriptor): readonly Query[] {
  if (!kernel.openAtChecksFolder) return [];
  return [{ operation: "file-read-data", path: pathOfDescriptor(world, folder), vnode: "DIRECTORY" }];
}

function openFound(scene: Scene, call: Opening, place: Found, way: readonly Query[]): Plan {
  const { world } = scene;
  const { node } = place;
  if (call.creates === "exclusive") return fails("EEXIST");
  if (node.vnode === "SYMLINK") return fails("ELOOP");
  if (node.vnode === "SOCKET") return fails("EOPNOTSUPP");
  const [canRead, canWrite] = rightsOf(call);
  const changes = canWrite || call.truncates === true;
  if (node.vnode === "DIRECTORY" && (changes || call.creates !== undefined)) return fails("EISDIR");
  if (canRead && !hasRight(world, node, "read")) return fails("EACCES");
  const problem = changes ? writeProblem(world, place) : undefined;
  if (problem !== undefined) return problem;
  const queries = [
    ...(canRead ? [about("file-read-data", place)] : []),
    ...(changes ? [about("file-write-data", place)] : []),
  ];
  return asks([...way, ...queries], () => {
    if (call.truncates === true && node.vnode === "REGULAR-FILE") put(world, { ...node, bytes: "" });
    return opened(world, { node: node.id, canRead, canWrite, folder: place.folder.id, name: place.name });
  });
}

function openMissing(scene: Scene, call: Opening, place: Missing, way: readonly Query[]): Plan {
  const { world, kernel } = scene;
  if (call.creates === undefined) return fails("ENOENT");
  if (place.mustBeFolder) return fails("EISDIR");
  const problem = folderProblem(world, place.folder);
  if (problem !== undefined) return fails(problem);
  const [canRead, canWrite] = rightsOf(call);
  const made = creates(place.path, "REGULAR-FILE");
  const data = kernel.createChecksData ? [{ ...made, operation: "file-write-data" }] : [];
  return asks([...way, made, ...data], () => {
    const file: File = {
      ...born(world, place.folder.volume, { mode: 0o644, owner: world.uid }),
      vnode: "REGULAR-FILE",
      bytes: "",
    };
    put(world, file);
    attach(world, place.folder.id, place.name, file.id);
    return opened(world, { node: file.id, canRead, canWrite, folder: place.folder.id, name: place.name });
  });
}

function opened(world: World, open: Descriptor): Returned {
  let descriptor = 3;
  while (world.descriptors.has(descriptor)) descriptor++;
  world.descriptors.set(descriptor, open);
  return { is: "descriptor", descriptor };
}

function rightsOf({ access }: OpenMode): readonly [canRead: boolean, canWrite: boolean] {
  return [access !== "write", access !== "read"];
}

function writeProblem(world: World, { node }: Found): Fails | undefined {
  if (node.vnode === "REGULAR-FILE" && volumeOf(world, node).isReadOnly) return fails("EROFS");
  return hasRight(world, node, "write") ? undefined : fails("EACCES");
}
