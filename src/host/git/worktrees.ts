import type { RepositorySign } from "../../backend/repositories.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../profile/path.ts";
import { statsOf } from "../nodes.ts";
import { textAt } from "./files.ts";

/** What makes a worktree's part a repository of its own once `commondir` is gone; git puts none of them there. */
const OF_A_WHOLE_ONE = ["objects", "config", "hooks"];

/**
 * True for the folder of a linked worktree, as `git worktree add` makes it in a repository that is known: git takes all but
 * `config.worktree` from that repository (gitrepository-layout(5), `commondir`). Known are those that were there before the
 * folder was; what a file or link of theirs leads to is kept from being made.
 */
export function isPlainWorktree({ kind, path }: RepositorySign, known: readonly RepositorySign[]): boolean {
  const common = commonOf(path, known);
  // Of a worktree that was there only what git reads is protected: as a common folder it would be another repository.
  if (kind !== "folder" || common === null || commonOf(common, known) !== null) return false;
  const commondir = joinPath(path, "commondir");
  // What git writes; the folder's path has no links, so that this is the repository above it.
  if (statsOf(commondir)?.isFile() !== true || !/^\.\.\/\.\.\n?$/.test(textAt(commondir))) return false;
  return !OF_A_WHOLE_ONE.some((name) => statsOf(joinPath(path, name)) !== null);
}

/** The known repository in whose `worktrees` a folder lies. */
function commonOf(path: AbsolutePath, known: readonly RepositorySign[]): AbsolutePath | null {
  const folder = parentOf(path);
  if (nameOf(folder) !== "worktrees") return null;
  return known.find((one) => one.kind === "folder" && one.path === parentOf(folder))?.path ?? null;
}
