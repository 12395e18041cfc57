import { OBEYED, OBEYED_OF_A_WORKTREE, type RepositorySign } from "../../../backend/repositories.ts";
import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import type { PathNeeds } from "./path-targets.ts";

/** The folders of a repository's parts, and the needs of their paths. */
export interface RepositoryPlace {
  readonly folder: AbsolutePath;
  readonly common: AbsolutePath;
  readonly configs: readonly AbsolutePath[];
  readonly needs: PathNeeds;
}

/** Files that git obeys where a sign leads: a common folder needs no HEAD (setup.c), and removed files can return. */
export function obeyedElsewhere(
  { path }: RepositorySign,
  { folder, common }: RepositoryPlace,
): readonly AbsolutePath[] {
  const inCommon = common === path ? [] : OBEYED.map((name) => joinPath(common, name));
  if (folder === path || folder === common) return inCommon;
  return [...inCommon, ...OBEYED_OF_A_WORKTREE.map((name) => joinPath(folder, name))];
}
