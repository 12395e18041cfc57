import type { HostMount } from "../../../backend/facts.ts";
import { inFilesystem, mountOf } from "../../../backend/host-mounts.ts";
import { type AbsolutePath, isAbsolutePath, isInside, joinPath } from "../../../profile/path.ts";

/** Finds other paths, in these folders, of the given paths' content: another mount may show it, or a part of it. */
export function pathsByMounts(
  paths: readonly AbsolutePath[],
  folders: readonly AbsolutePath[],
  mounts: readonly HostMount[],
): ReadonlyMap<AbsolutePath, readonly AbsolutePath[]> {
  const ofFolders = new Set(folders.map((folder) => mountOf(mounts, folder)));
  const isIn = (path: AbsolutePath): boolean => folders.some((folder) => isInside(path, folder));
  const shown = mounts.filter((mount) => ofFolders.has(mount) || isIn(mount.point));
  const others = paths.map((path): readonly [AbsolutePath, readonly AbsolutePath[]] => {
    const own = mountOf(mounts, path);
    const real = inFilesystem(mounts, path);
    const found = shown.flatMap((mount) => {
      const isOther = mount !== own && mount.device === real?.device;
      const other = isOther ? shownBy(mount, real.root) : null;
      return other !== null && isIn(other) && mountOf(mounts, other) === mount ? [other] : [];
    });
    return [path, found];
  });
  return new Map(others);
}

function shownBy({ point, root }: HostMount, real: string): AbsolutePath | null {
  if (!isAbsolutePath(root) || !isAbsolutePath(real)) return null;
  if (isInside(root, real)) return point;
  if (!isInside(real, root)) return null;
  return joinPath(point, real.slice(root === "/" ? 1 : root.length + 1));
}
