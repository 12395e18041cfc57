import type { RepositorySign } from "../../../backend/repositories.ts";
import { type AbsolutePath, joinPath, parentOf, ROOT, upwards } from "../../../profile/path.ts";
import type { Lstat } from "../leads.ts";
import { isWholeBy, MARKS } from "./marks.ts";

/** Repositories that contain a folder: their configuration may name files in it, and it may be a part of one. */
export function repositoriesAbove(folders: readonly AbsolutePath[], see: Lstat): readonly RepositorySign[] {
  const above = new Set(
    folders.filter((path) => path !== ROOT).flatMap((path) => [...upwards(parentOf(path))]),
  );
  return [...above].flatMap((at): readonly RepositorySign[] => {
    const [git, stats] = [joinPath(at, ".git"), see(joinPath(at, ".git"))];
    const kind =
      stats?.isDirectory() === true ? "folder" : stats?.isSymbolicLink() === true ? "link" : "file";
    return [
      ...(stats === null ? [] : [{ kind, path: git, isWhole: true } as const]),
      ...(isWholeRepository(at, see) ? [{ kind: "folder", path: at, isWhole: true } as const] : []),
    ];
  });
}

/** True if git would accept the folder as a repository's own. */
export function isWholeRepository(folder: AbsolutePath, see: Lstat): boolean {
  // Every repository has this one, and nearly no other folder.
  if (see(joinPath(folder, "HEAD")) === null) return false;
  const found = [...MARKS].filter(([name]) => see(joinPath(folder, name)) !== null);
  return isWholeBy(found.reduce((marks, [, mark]) => marks | mark, 0));
}
