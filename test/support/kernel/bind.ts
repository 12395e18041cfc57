import { spawnSync } from "node:child_process";
import { realPathOf } from "../../../src/host/look/nodes.ts";
import { type AbsolutePath, isInside, knownPath } from "../../../src/profile/path.ts";
import type { Thing, Tree, TreeSketch } from "./tree.ts";

/**
 * Mounts one folder of the tree on another one, so that what it holds has two names. Without two folders that lie apart
 * the tree stays as it is.
 */
export function bindFolder(tree: Tree, { from, at }: NonNullable<TreeSketch["bind"]>): Tree {
  const folders = tree.things.filter(
    (thing) => thing.kind === "folder" && thing.path.isWellFormed() && !isCrowd(tree, thing.path),
  );
  // A source that can be removed would be gone under its other name, also after it was made anew.
  const full = folders.filter((folder) => tree.names.has(folder.path));
  const plain = folders.filter((folder) => folder.mode === 0o755);
  const [source, point] = [full[from % full.length]?.path, plain[at % plain.length]?.path];
  if (
    source === undefined ||
    point === undefined ||
    tree.roots.includes(point) ||
    isInside(source, point) ||
    isInside(point, source)
  )
    return tree;
  mount("mount", ["-n", "--bind", source, point]);
  const rest = tree.things.filter((thing) => !isInside(thing.path, point));
  const bound = tree.things
    .filter((thing) => isInside(thing.path, source))
    .map((thing) => moved(thing, source, point));
  const things = [...rest, ...bound];
  const namesBelow = [...tree.names]
    .filter(([folder]) => isInside(folder, source))
    .map(([folder, names]) => [pathAt(folder, source, point), names] as const);
  return {
    ...tree,
    things,
    byPath: new Map(things.map((thing) => [thing.path, thing])),
    names: new Map([...[...tree.names].filter(([folder]) => !isInside(folder, point)), ...namesBelow]),
    bound: { source, point },
  };
}

/** The other name of a path, where it has one. */
export function twinOf({ bound }: Tree, path: AbsolutePath): AbsolutePath {
  if (bound === null) return path;
  if (isInside(path, bound.point)) return pathAt(path, bound.point, bound.source);
  return isInside(path, bound.source) ? pathAt(path, bound.source, bound.point) : path;
}

/** Undoes `bindFolder`. */
export function unbindFolder({ bound }: Tree): void {
  if (bound !== null) mount("umount", ["-n", "-l", bound.point]);
}

function mount(program: "mount" | "umount", words: readonly string[]): void {
  const { status, stderr } = spawnSync(`/usr/bin/${program}`, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

function isCrowd({ crowd }: Tree, path: AbsolutePath): boolean {
  return crowd !== null && (isInside(path, crowd) || isInside(crowd, path));
}

function moved(thing: Thing, source: AbsolutePath, point: AbsolutePath): Thing {
  const path = pathAt(thing.path, source, point);
  return { ...thing, path, target: thing.kind === "link" ? realPathOf(path) : null };
}

function pathAt(path: AbsolutePath, source: AbsolutePath, point: AbsolutePath): AbsolutePath {
  return knownPath(`${point}${path.slice(source.length)}`);
}
