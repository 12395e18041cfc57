import { OBEYED, OBEYED_OF_A_WORKTREE, type RepositorySign } from "../../backend/repositories.ts";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import type { Upheld } from "./led.ts";

/** Where a repository's parts lie, and what that depends on. */
export interface Place {
  readonly folder: AbsolutePath;
  readonly common: AbsolutePath;
  readonly configs: readonly AbsolutePath[];
  readonly upheld: Upheld;
}

/**
 * What git obeys in the folders that a sign leads to. It asks for no HEAD in a common folder (setup.c, `is_git_directory`), and
 * what was there may come back: these folders need not look like a repository's.
 */
export function obeyedElsewhere(
  { path }: RepositorySign,
  { folder, common }: Place,
): readonly AbsolutePath[] {
  const inCommon = common === path ? [] : OBEYED.map((name) => joinPath(common, name));
  if (folder === path || folder === common) return inCommon;
  return [...inCommon, ...OBEYED_OF_A_WORKTREE.map((name) => joinPath(folder, name))];
}
