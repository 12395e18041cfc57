import { type AbsolutePath, isAbsolutePath, isInside, joinPath } from "../profile/path.ts";
import type { HostMount } from "./facts.ts";

/** The real location of a path: the device and the path in its file system. */
export interface InFilesystem {
  readonly device: string;
  readonly root: string;
}

/** The mount of a path: the deepest, and of several on one point the last. */
export function mountOf(mounts: readonly HostMount[], path: AbsolutePath): HostMount | null {
  let found: HostMount | null = null;
  for (const mount of mounts) {
    if (isInside(path, mount.point) && (found === null || mount.point.length >= found.point.length))
      found = mount;
  }
  return found;
}

/** The device and path that `/proc/<pid>/mountinfo` shows for a bind of this path; null if no mount holds it. */
export function inFilesystem(mounts: readonly HostMount[], path: AbsolutePath): InFilesystem | null {
  const mount = mountOf(mounts, path);
  if (mount === null) return null;
  const rest = mount.point === "/" ? path : path.slice(mount.point.length);
  const root = `${mount.root === "/" ? "" : mount.root}${rest === "/" ? "" : rest}`;
  return { device: mount.device, root: root === "" ? "/" : root };
}

/** The mounts below a path, which a bind of it includes: on one point only the last is seen. */
export function mountsBelow(mounts: readonly HostMount[], path: AbsolutePath): readonly HostMount[] {
  const seen = new Map<AbsolutePath, HostMount>();
  for (const mount of mounts) {
    for (const point of seen.keys())
      if (point !== mount.point && isInside(point, mount.point)) seen.delete(point);
    if (mount.point !== path && isInside(mount.point, path)) seen.set(mount.point, mount);
    else if (isInside(path, mount.point)) seen.clear();
  }
  return [...seen.values()];
}

/** Other names of the same thing: paths that lead to it through another mount of the same file system. */
export function aliasesOf(mounts: readonly HostMount[], path: AbsolutePath): readonly AbsolutePath[] {
  const real = inFilesystem(mounts, path);
  if (real === null) return [];
  return mounts.flatMap((mount) => {
    const { root } = mount;
    if (
      mount.device !== real.device ||
      !isAbsolutePath(root) ||
      !isAbsolutePath(real.root) ||
      !isInside(real.root, root)
    )
      return [];
    const rest = root === "/" ? real.root.slice(1) : real.root.slice(root.length + 1);
    const alias = rest === "" ? mount.point : joinPath(mount.point, rest);
    return alias === path || mountOf(mounts, alias) !== mount ? [] : [alias];
  });
}
