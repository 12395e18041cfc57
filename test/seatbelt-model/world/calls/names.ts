import type { Query } from "../../query.ts";
import { attach, born, detach, move, put, swap } from "../change.ts";
import { type Fails, fails } from "../errno.ts";
import { joined } from "../names.ts";
import type { Found, Missing } from "../resolve.ts";
import type { Syscall } from "../syscall.ts";
import { folderProblem, type Inode, isIn, pathOf, removalProblem } from "../world.ts";
import { about, asks, creates, existing, type Plan, reach, type Scene, vacant, wayTo } from "./plan.ts";

const NOFOLLOW = { follows: false } as const;

/** A new folder. */
export function planMkdir(scene: Scene, path: string): Plan {
  const { world } = scene;
  const place = reach(scene, path, NOFOLLOW);
  if (place.kind === "fails") return place;
  if (place.kind === "found") return fails("EEXIST");
  const problem = folderProblem(world, place.folder);
  if (problem !== undefined) return fails(problem);
  return asks([...wayTo(scene, place), creates(place.path, "DIRECTORY")], () => {
    const birth = born(world, place.folder.volume, { mode: 0o755, owner: world.uid });
    const [parent, name] = [place.folder.id, place.name];
    put(world, { ...birth, vnode: "DIRECTORY", entries: new Map(), parent, name, isPinned: false });
    attach(world, parent, name, birth.id);
    return undefined;
  });
}

/** A new symbolic link; what it points to is not asked about. */
export function planSymlink(scene: Scene, call: Extract<Syscall, { call: "symlink" }>): Plan {
  const { world } = scene;
  const place = vacant(scene, call.path);
  if (place.kind === "fails") return place;
  const problem = folderProblem(world, place.folder);
  if (problem !== undefined) return fails(problem);
  return asks([...wayTo(scene, place), creates(place.path, "SYMLINK")], () => {
    const birth = born(world, place.folder.volume, { mode: 0o755, owner: world.uid });
    put(world, { ...birth, vnode: "SYMLINK", target: call.target });
    attach(world, place.folder.id, place.name, birth.id);
    return undefined;
  });
}

/** Taking a name away: of an empty folder with `rmdir`, of anything else with `unlink`. */
export function planRemove(scene: Scene, call: "rmdir" | "unlink", path: string): Plan {
  const { world } = scene;
  const place = existing(scene, path, NOFOLLOW);
  if (place.kind === "fails") return place;
  const { node, folder, name } = place;
  if (call === "unlink" && node.vnode === "DIRECTORY") return fails("EPERM");
  if (call === "rmdir" && node.vnode !== "DIRECTORY") return fails("ENOTDIR");
  if (place.isDotted) return fails("EINVAL");
  const problem = removalProblem(world, folder, node);
  if (problem !== undefined) return fails(problem);
  if (node.vnode === "DIRECTORY" && node.entries.size > 0) return fails("ENOTEMPTY");
  return asks([...wayTo(scene, place), about("file-write-unlink", place)], () => {
    detach(world, folder.id, name);
    return undefined;
  });
}

/** A rename: about what is moved and about its new name; about nothing that is inside of a moved folder. */
export function planRename(scene: Scene, call: { readonly from: string; readonly to: string }): Plan {
  const { world, kernel } = scene;
  const from = existing(scene, call.from, NOFOLLOW);
  if (from.kind === "fails") return from;
  const to = reach(scene, call.to, NOFOLLOW);
  if (to.kind === "fails") return to;
  const problem = renameProblem(scene, from, to);
  if (problem !== undefined) return problem;
  const replaced = to.kind === "found" && kernel.renameChecksReplaced ? [about("file-write-unlink", to)] : [];
  return asks(
    [
      ...wayTo(scene, from),
      ...wayTo(scene, to),
      about("file-write-unlink", from),
      newName(scene, to, from.node),
      ...replaced,
    ],
    () => {
      const target = { folder: to.folder.id, name: to.kind === "found" ? to.given : to.name };
      const isOneFile = to.kind === "found" && to.node.id === from.node.id;
      const isOneName = isOneFile && to.folder.id === from.folder.id && to.name === from.name;
      if (!isOneFile || isOneName) move(world, { folder: from.folder.id, name: from.name }, target);
      return undefined;
    },
  );
}

/** An exchange of two names, as `renamex_np` does with `RENAME_SWAP`. */
export function planSwap(scene: Scene, call: { readonly from: string; readonly to: string }): Plan {
  const { world, kernel } = scene;
  const [from, to] = [existing(scene, call.from, NOFOLLOW), existing(scene, call.to, NOFOLLOW)];
  if (from.kind === "fails") return from;
  if (to.kind === "fails") return to;
  const problem = nodeProblem(scene, from) ?? nodeProblem(scene, to) ?? placeProblem(scene, from, to);
  if (problem !== undefined) return problem;
  if (from.node.vnode === "DIRECTORY" && isIn(world, to.folder, from.node.id)) return fails("EINVAL");
  if (to.node.vnode === "DIRECTORY" && isIn(world, from.folder, to.node.id)) return fails("EINVAL");
  const back = [about("file-write-unlink", to), newName(scene, from, to.node)];
  return asks(
    [
      ...wayTo(scene, from),
      ...wayTo(scene, to),
      about("file-write-unlink", from),
      newName(scene, to, from.node),
      ...(kernel.swapChecks === "both-ways" ? back : []),
    ],
    () => {
      const isOneFile = from.node.id === to.node.id;
      const [one, other] = [from, to].map(({ folder, name }) => ({ folder: folder.id, name }));
      if (!isOneFile && one !== undefined && other !== undefined) swap(world, one, other);
      return undefined;
    },
  );
}

/** A second name of a file; a link at the end of the source is passed through, as macOS does. */
export function planLink(scene: Scene, call: { readonly from: string; readonly to: string }): Plan {
  const { world, kernel } = scene;
  const from = existing(scene, call.from);
  if (from.kind === "fails") return from;
  const to = vacant(scene, call.to);
  if (to.kind === "fails") return to;
  if (from.node.vnode === "DIRECTORY") return fails("EPERM");
  const problem = placeProblem(scene, from, to);
  if (problem !== undefined) return problem;
  const source = kernel.linkChecks === "destination-only" ? [] : [about("file-link", from)];
  const destination = kernel.linkChecks === "source-only" ? [] : [creates(to.path, from.node.vnode)];
  return asks([...wayTo(scene, from), ...wayTo(scene, to), ...source, ...destination], () => {
    attach(world, to.folder.id, to.name, from.node.id);
    return undefined;
  });
}

/** Why plain Unix refuses a rename. */
function renameProblem(scene: Scene, from: Found, to: Found | Missing): Fails | undefined {
  const { world } = scene;
  const [moved, replaced] = [from.node, to.kind === "found" ? to.node : undefined];
  const problem = nodeProblem(scene, from) ?? (to.kind === "found" ? nodeProblem(scene, to) : undefined);
  if (problem !== undefined) return problem;
  const place = placeProblem(scene, from, to);
  if (place !== undefined) return place;
  if (moved.vnode === "DIRECTORY" && isIn(world, to.folder, moved.id)) return fails("EINVAL");
  if (to.kind === "missing" && to.mustBeFolder && moved.vnode !== "DIRECTORY") return fails("ENOENT");
  if (replaced === undefined || replaced.id === moved.id) return undefined;
  if (moved.vnode === "DIRECTORY" && replaced.vnode !== "DIRECTORY") return fails("ENOTDIR");
  if (replaced.vnode !== "DIRECTORY") return undefined;
  if (moved.vnode !== "DIRECTORY") return fails("EISDIR");
  return replaced.entries.size > 0 ? fails("ENOTEMPTY") : undefined;
}

/** Why a name can't be taken from where it is. */
function nodeProblem({ world }: Scene, place: Found): Fails | undefined {
  if (place.isDotted) return fails("EINVAL");
  const problem = removalProblem(world, place.folder, place.node);
  return problem === undefined ? undefined : fails(problem);
}

/** Why something can't be given a name there. */
function placeProblem({ world }: Scene, from: Found, to: Found | Missing): Fails | undefined {
  if (from.node.volume !== to.folder.volume) return fails("EXDEV");
  const problem = folderProblem(world, to.folder);
  return problem === undefined ? undefined : fails(problem);
}

/** The question about a rename's new name, in the spelling that the kernel has for what is replaced. */
function newName({ world, kernel }: Scene, to: Found | Missing, { vnode }: Inode): Query {
  if (to.kind === "missing" || kernel.replacedName === "on-disk") return creates(to.path, vnode);
  return creates(respelled(pathOf(world, to.folder), to), vnode);
}

function respelled(folder: string, { path, given, name }: Found): string {
  return path.endsWith(`/${name}`) ? `${path.slice(0, -name.length)}${given}` : joined(folder, given);
}
