import type { RepositorySign } from "../backend/repositories.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf, pathFromBytes } from "../profile/path.ts";
import { wayOf } from "./leads.ts";
import { statsOf, systemPath } from "./nodes.ts";
import { openPlainFile } from "./plain-file.ts";

/** What makes a worktree's part a repository of its own once `commondir` is gone; git puts none of them there. */
const OF_A_WHOLE_ONE = ["objects", "config", "hooks"];

/** No path of git's is longer. */
const MOST_BYTES = 64 * 1024;

/**
 * True for the folder of a linked worktree, as `git worktree add` makes it in a repository that is known: git takes all but
 * `config.worktree` from that repository (gitrepository-layout(5), `commondir`), and no file or link that is known leads
 * there. Known are those that were there before the folder was.
 */
export function isPlainWorktree({ kind, path }: RepositorySign, known: readonly RepositorySign[]): boolean {
  const common = commonOf(path, known);
  // Of a worktree that was there only what git reads is protected: as a common folder it would be another repository.
  if (kind !== "folder" || common === null || commonOf(common, known) !== null) return false;
  const commondir = joinPath(path, "commondir");
  // What git writes; the folder's path has no links, so that this is the repository above it.
  if (statsOf(commondir)?.isFile() !== true || !/^\.\.\/\.\.\n?$/.test(textAt(commondir))) return false;
  if (OF_A_WHOLE_ONE.some((name) => statsOf(joinPath(path, name)) !== null)) return false;
  return !known.some((one) => leadsTo(one, path));
}

/** The known repository in whose `worktrees` a folder lies. */
function commonOf(path: AbsolutePath, known: readonly RepositorySign[]): AbsolutePath | null {
  const folder = parentOf(path);
  if (nameOf(folder) !== "worktrees") return null;
  return known.find((one) => one.kind === "folder" && one.path === parentOf(folder))?.path ?? null;
}

/** Through links, as the kernel goes; what a file says begins at the name it was found by (setup.c, `read_gitfile_gently`). */
function leadsTo({ kind, path }: RepositorySign, end: AbsolutePath): boolean {
  if (kind === "folder") return false;
  const target = /^gitdir: (.+?)[\r\n]*$/s.exec(textAt(path))?.[1];
  return wayOf(target ?? path, parentOf(path)).end === end;
}

function textAt(path: AbsolutePath): string {
  try {
    using file = openPlainFile(systemPath(path));
    return file === null || file.stats.size > MOST_BYTES ? "" : pathFromBytes(file.read());
  } catch {
    return "";
  }
}
