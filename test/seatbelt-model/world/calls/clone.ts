import { attach, born, put } from "../change.ts";
import { fails } from "../errno.ts";
import type { Kernel } from "../kernel.ts";
import { type Folder, folderProblem, hasRight, type Inode, nodeOf, type World } from "../world.ts";
import { about, asks, creates, existing, type Plan, type Scene, vacant, wayTo } from "./plan.ts";

/** A copy that shares its blocks: about the source and the new name, and about nothing inside of a folder. */
export function planClone(scene: Scene, call: { readonly from: string; readonly to: string }): Plan {
  const { world, kernel } = scene;
  const from = existing(scene, call.from);
  if (from.kind === "fails") return from;
  const to = vacant(scene, call.to);
  if (to.kind === "fails") return to;
  const { node } = from;
  if (from.node.volume !== to.folder.volume) return fails("EXDEV");
  if (node.vnode !== "REGULAR-FILE" && !(node.vnode === "DIRECTORY" && kernel.clonesFolders))
    return fails("ENOTSUP");
  if (!hasRight(world, node, "read")) return fails("EACCES");
  const problem = folderProblem(world, to.folder);
  if (problem !== undefined) return fails(problem);
  const source = SOURCE[kernel.cloneChecks].map((operation) => about(operation, from));
  return asks([...wayTo(scene, from), ...wayTo(scene, to), ...source, creates(to.path, node.vnode)], () => {
    attach(world, to.folder.id, to.name, cloned(world, node, to.folder));
    return undefined;
  });
}

const SOURCE: Readonly<Record<Kernel["cloneChecks"], readonly string[]>> = {
  "clone-and-data": ["file-clone", "file-read-data"],
  data: ["file-read-data"],
  clone: ["file-clone"],
  nothing: [],
};

/** What a folder has before it is copied, so that a clone into itself ends. */
function cloned(world: World, node: Inode, into: Folder): number {
  const { mode, xattrs } = node;
  const birth = born(world, into.volume, { mode: mode & 0o777, owner: world.uid, xattrs });
  if (node.vnode !== "DIRECTORY") {
    put(world, { ...node, ...birth });
    return birth.id;
  }
  const inside = [...node.entries.values()];
  const copy: Folder = { ...node, ...birth, entries: new Map(), parent: into.id, isPinned: false };
  put(world, copy);
  for (const entry of inside)
    if (entry.isFirmlink !== true)
      attach(world, copy.id, entry.name, cloned(world, nodeOf(world, entry.node), copy));
  return birth.id;
}
