import type { RepositorySign } from "../../backend/repositories.ts";
import { type AbsolutePath, joinPath, parentOf, ROOT, upwards } from "../../profile/path.ts";
import type { Look } from "../leads.ts";
import { isWholeBy, MARKS } from "./marks.ts";

/**
 * Repositories that a folder lies in, for each of the folders: their configuration may name hooks and further
 * configurations in it, and it may be a part of one.
 */
export function repositoriesAbove(folders: readonly AbsolutePath[], see: Look): readonly RepositorySign[] {
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

/** Whether git would take a folder for a repository's own. */
export function isWholeRepository(folder: AbsolutePath, see: Look): boolean {
  // Without this one the others make no repository, and nearly no folder has it.
  if (see(joinPath(folder, "HEAD")) === null) return false;
  const found = [...MARKS].filter(([name]) => see(joinPath(folder, name)) !== null);
  return isWholeBy(found.reduce((marks, [, mark]) => marks | mark, 0));
}
