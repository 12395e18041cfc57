import type { RepositorySign } from "../../../backend/repositories.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import { textAt } from "./files.ts";

/** Names that make a worktree's part a repository of its own once `commondir` is gone; git puts none of them there. */
const OF_A_WHOLE_ONE = ["objects", "config", "hooks"];

/**
 * True for the folder of a linked worktree, as `git worktree add` makes it in a known repository: git takes all but
 * `config.worktree` from that repository (gitrepository-layout(5), `commondir`). Known are repositories older than the
 * folder; the targets of their files or links are kept from being made.
 */
export function isPlainWorktree({ kind, path }: RepositorySign, known: readonly RepositorySign[]): boolean {
  const common = commonOf(path, known);
  // Of an earlier worktree only files that git reads are protected: as a common folder it is another repository.
  if (kind !== "folder" || common === null || commonOf(common, known) !== null) return false;
  const commondir = joinPath(path, "commondir");
  // Git's own text; the folder's path has no links, so this is the repository above it.
  if (statsOf(commondir)?.isFile() !== true || !/^\.\.\/\.\.\n?$/.test(textAt(commondir))) return false;
  return !OF_A_WHOLE_ONE.some((name) => statsOf(joinPath(path, name)) !== null);
}

/** The known repository whose `worktrees` contains a folder. */
function commonOf(path: AbsolutePath, known: readonly RepositorySign[]): AbsolutePath | null {
  const folder = parentOf(path);
  if (nameOf(folder) !== "worktrees") return null;
  return known.find((one) => one.kind === "folder" && one.path === parentOf(folder))?.path ?? null;
}
