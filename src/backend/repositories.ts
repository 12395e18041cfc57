import { type AbsolutePath, joinPath, nameOf, namesOf, parentOf } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type Mask, normalProfile, OPEN, type Profile } from "../profile/profile.ts";

/**
 * Something by which git finds a repository, in a folder that calls may write: a repository's own folder (`.git`, a bare
 * one of any name, one of a submodule or worktree), a file `.git` that leads to one, or a link in the place of either.
 */
export interface RepositorySign {
  readonly kind: "folder" | "file" | "link";
  readonly path: AbsolutePath;
  /** Whether git would take it for a repository as it is (gitrepository-layout(5); setup.c, `is_git_directory`). */
  readonly isWhole: boolean;
}

/** The same, with what git obeys because the configuration that holds there names it. */
export interface Repository extends RepositorySign {
  /** Folders of hooks (`core.hooksPath`), whether or not they exist, and links among hooks, wherever these lie. */
  readonly hooks: readonly AbsolutePath[];
  /** Included configurations (`include.path`), whether or not they exist, and what leads to the repository's parts. */
  readonly configs: readonly AbsolutePath[];
  /** What is obeyed in the folders that the sign leads to, whether or not they are a repository's as they are. */
  readonly parts: readonly AbsolutePath[];
  /**
   * Folders that must stay where they are: a way that is written to any of these goes into them and leaves them by `..`, so
   * that a link in their place would lead it elsewhere.
   */
  readonly detours: readonly AbsolutePath[];
}

/** More repositories than this are read-only as a whole, the deepest first: each mask is a mount, and all slow a start. */
export const MOST_OPEN_REPOSITORIES = 16;

/** What git runs, or reads to learn what to run, in a repository's own folder (gitrepository-layout(5), githooks(5)). */
export const OBEYED = ["hooks", "config", "config.worktree", "commondir"];

/** The same in the folder of a linked worktree: hooks and the rest of its configuration lie in the common folder. */
export const OBEYED_OF_A_WORKTREE = ["gitdir", "commondir", "config.worktree"];

/**
 * The masks that keep git from obeying what a call writes, in every repository that is there at the start. They name
 * paths, so they hold for what is missing as well: `commondir`, say, which would lead git to another configuration.
 * Index, refs, HEAD and objects are left alone: add, commit, branch, stash and rebase work. The same signs in any order
 * give the same masks.
 */
export function repositoryMasks(repositories: readonly Repository[]): readonly Mask[] {
  const obeying = [...repositories].filter(isObeyed).sort(shallowFirst);
  const folders = new Set(obeying.map(({ path }) => path));
  const paths = obeying.flatMap((repository, at): readonly AbsolutePath[] => {
    const { kind, path, hooks, configs, parts } = repository;
    const named = [...hooks, ...configs, ...parts];
    if (kind !== "folder" || at >= MOST_OPEN_REPOSITORIES) return [path, ...named];
    const names = isWorktree(path, folders) ? OBEYED_OF_A_WORKTREE : OBEYED;
    return [...names.map((name) => joinPath(path, name)), ...named];
  });
  return [...new Set(paths)].map((path) => ({
    pattern: literalPattern(path),
    atMost: "read",
    ignoreCase: false,
  }));
}

/** The profile that says no more than this: a layer that only takes away. */
export function repositoryProfile(repositories: readonly Repository[]): Profile {
  return normalProfile({ ...OPEN, masks: repositoryMasks(repositories) });
}

/** A folder `.git` counts before it is whole: one call could take a part away, and the next one use that. */
function isObeyed({ kind, path, isWhole }: Repository): boolean {
  return isWhole || kind !== "folder" || nameOf(path) === ".git";
}

function isWorktree(path: AbsolutePath, folders: ReadonlySet<AbsolutePath>): boolean {
  return nameOf(parentOf(path)) === "worktrees" && folders.has(parentOf(parentOf(path)));
}

function shallowFirst(a: Repository, b: Repository): number {
  const [depthA, depthB] = [namesOf(a.path).length, namesOf(b.path).length];
  return depthA - depthB || (a.path < b.path ? -1 : 1);
}
