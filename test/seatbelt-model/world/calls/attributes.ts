import { put } from "../change.ts";
import { type Errno, type Fails, fails } from "../errno.ts";
import type { Found } from "../resolve.ts";
import type { Syscall } from "../syscall.ts";
import { hasRight, type Inode, volumeOf, type World } from "../world.ts";
import { about, asks, existing, type Plan, type Scene, wayTo } from "./plan.ts";

type CallOf<Name extends Syscall["call"]> = Extract<Syscall, { call: Name }>;

const SETUGID = 0o6000;

/** Another mode; one that runs a program as its owner or group is an operation of its own. */
export function planChmod(scene: Scene, { path, mode }: CallOf<"chmod">): Plan {
  const isSetugid = (mode & SETUGID) !== 0;
  const asksMode = !isSetugid || scene.kernel.setugidChecksMode;
  const operations = [...(isSetugid ? ["file-write-setugid"] : []), ...(asksMode ? ["file-write-mode"] : [])];
  return change(scene, path, operations, ofOwner, (node) => ({ ...node, mode }));
}

/** Another owner, which only root gives, or the owner to itself. */
export function planChown(scene: Scene, { path, owner }: CallOf<"chown">): Plan {
  const problem = (world: World, node: Inode): Errno | undefined =>
    world.uid === 0 || (world.uid === node.owner && owner === node.owner) ? undefined : "EPERM";
  return change(scene, path, ["file-write-owner"], problem, (node) => ({ ...node, owner }));
}

/** Other times. */
export function planUtimes(scene: Scene, { path, mtime }: CallOf<"utimes">): Plan {
  return change(scene, path, ["file-write-times"], ofOwner, (node) => ({ ...node, mtime }));
}

/** An extended attribute's new value. */
export function planSetxattr(scene: Scene, { path, name, value }: CallOf<"setxattr">): Plan {
  const problem = (world: World, node: Inode): Errno | undefined =>
    hasRight(world, node, "write") ? undefined : "EACCES";
  return change(scene, path, ["file-write-xattr"], problem, (node) => ({
    ...node,
    xattrs: new Map(node.xattrs).set(name, value),
  }));
}

/** An extended attribute's value. */
export function planGetxattr(scene: Scene, { path, name }: CallOf<"getxattr">): Plan {
  const place = existing(scene, path);
  if (place.kind === "fails") return place;
  if (!hasRight(scene.world, place.node, "read")) return fails("EACCES");
  const value = place.node.xattrs.get(name);
  if (value === undefined) return fails("ENOATTR");
  return asks([...wayTo(scene, place), about("file-read-xattr", place)], () => ({ is: "text", text: value }));
}

function change(
  scene: Scene,
  path: string,
  operations: readonly string[],
  problemOf: (world: World, node: Inode) => Errno | undefined,
  changed: (node: Inode) => Inode,
): Plan {
  const { world } = scene;
  const place = existing(scene, path);
  if (place.kind === "fails") return place;
  const problem = readOnly(world, place) ?? asFails(problemOf(world, place.node));
  if (problem !== undefined) return problem;
  const queries = operations.map((operation) => about(operation, place));
  return asks([...wayTo(scene, place), ...queries], () => {
    put(world, changed(place.node));
    return undefined;
  });
}

function ofOwner(world: World, { owner }: Inode): Errno | undefined {
  return world.uid === 0 || world.uid === owner ? undefined : "EPERM";
}

function readOnly(world: World, { node }: Found): Fails | undefined {
  return volumeOf(world, node).isReadOnly ? fails("EROFS") : undefined;
}

function asFails(errno: Errno | undefined): Fails | undefined {
  return errno === undefined ? undefined : fails(errno);
}
