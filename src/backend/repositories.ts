import { visible } from "../errors.ts";
import { type Layer, maskKey } from "../profile/explain.ts";
import { REPOSITORY_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, joinPath, nameOf, namesOf, parentOf, upwards } from "../profile/path.ts";
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
  /** The call starts in it or names it, or it is a root of its own: see `withNear`. Left out where it is neither. */
  readonly isNear?: true;
}

/**
 * Of those that are not near no more than this can be changed, the shallowest; the others are read-only as a whole. Each
 * mask is a mount, and what mounts cost a start grows with their square.
 */
export const MOST_OPEN_REPOSITORIES = 16;

/** What git runs, or reads to learn what to run, in a repository's own folder (gitrepository-layout(5), githooks(5)). */
export const OBEYED = ["hooks", "config", "config.worktree", "commondir"];

/** The same in the folder of a linked worktree: hooks and the rest of its configuration lie in the common folder. */
export const OBEYED_OF_A_WORKTREE = ["gitdir", "commondir", "config.worktree"];

/**
 * Marks those that a call is about, where not all can be open: by the folders that it starts in or names, and by roots that are a
 * repository's working tree. What a near one leads to is near as well: the repository of a worktree, or of a submodule.
 */
export function withNear(
  repositories: readonly Repository[],
  named: readonly AbsolutePath[],
  roots: readonly AbsolutePath[],
): readonly Repository[] {
  const trees = new Set([...named.flatMap((path) => [...upwards(path)]), ...roots]);
  const near = repositories.filter((one) => trees.has(treeOf(one)));
  const places = new Set(
    near.flatMap(({ path, parts }) => [path, ...parts]).flatMap((path) => [...upwards(path)]),
  );
  return repositories.map((one) =>
    trees.has(treeOf(one)) || places.has(one.path) ? { ...one, isNear: true } : one,
  );
}

/** True where there are perhaps more than can all be open. */
export function areMany(repositories: readonly Repository[]): boolean {
  return repositories.length > MOST_OPEN_REPOSITORIES;
}

/** Repositories that can't be changed, because there are too many: the working tree of each, or its folder where it has none. */
export function closedRepositories(repositories: readonly Repository[]): readonly ClosedRepository[] {
  return sorted(repositories).closed.map((one) => ({ path: one.path, tree: treeOf(one) }));
}

/** One of those. */
export interface ClosedRepository {
  readonly path: AbsolutePath;
  readonly tree: AbsolutePath;
}

/**
 * The masks that keep git from obeying what a call writes, in every repository that is there at the start. They name
 * paths, so they hold for what is missing as well: `commondir`, say, which would lead git to another configuration.
 * Index, refs, HEAD and objects are left alone: add, commit, branch, stash and rebase work. The same signs in any order
 * give the same masks.
 */
export function repositoryMasks(repositories: readonly Repository[]): readonly Mask[] {
  const { all, closed } = sorted(repositories);
  const folders = new Set(all.map(({ path }) => path));
  const isClosed = new Set(closed);
  const paths = all.flatMap((repository): readonly AbsolutePath[] => {
    const { kind, path, hooks, configs, parts } = repository;
    const named = [...hooks, ...configs, ...parts];
    if (kind !== "folder" || isClosed.has(repository)) return [path, ...named];
    const names = isWorktree(path, folders) ? OBEYED_OF_A_WORKTREE : OBEYED;
    return [...names.map((name) => joinPath(path, name)), ...named];
  });
  return [...new Set(paths)].map((path) => ({
    pattern: literalPattern(path),
    atMost: "read",
    ignoreCase: false,
  }));
}

/** The layer of these masks: it only takes away. It tells why a repository is closed, and the way out. */
export function repositoryLayer(repositories: readonly Repository[]): Layer {
  const closed = closedRepositories(repositories);
  const told = (tell: (one: ClosedRepository) => string): ReadonlyMap<string, string> =>
    new Map(closed.map((one) => [maskKey({ pattern: literalPattern(one.path) }), tell(one)]));
  return {
    name: REPOSITORY_LAYER,
    profile: repositoryProfile(repositories),
    sources: new Map(),
    reasons: told(({ path }) => `${visible(path)} may only be read: ${whyClosed(repositories)}`),
    remedies: told(({ tree }) => openedBy(visible(tree))),
  };
}

/** Why some are closed, with their number. */
export function whyClosed(repositories: readonly Repository[]): string {
  const { all, closed } = sorted(repositories);
  const count = all.filter(({ kind }) => kind === "folder").length;
  return `of ${count} repositories no more than ${count - closed.length} can be changed in this call`;
}

/** What opens one. */
export function openedBy(tree: string): string {
  return `start the call in ${tree} or name that folder in it, or list it as a root of its own under \`sandbox.paths\``;
}

/** The profile that says no more than this: a layer that only takes away. */
export function repositoryProfile(repositories: readonly Repository[]): Profile {
  return normalProfile({ ...OPEN, masks: repositoryMasks(repositories) });
}

/** Those that count, near ones first, and of them the folders that are closed. */
function sorted(repositories: readonly Repository[]): Record<"all" | "closed", readonly Repository[]> {
  const obeying = repositories.filter(isObeyed).sort(shallowFirst);
  const [near, far] = [obeying.filter(isNear), obeying.filter((one) => !isNear(one))];
  const closed = far.slice(MOST_OPEN_REPOSITORIES).filter(({ kind }) => kind === "folder");
  return { all: [...near, ...far], closed };
}

function isNear({ isNear: isMarked }: Repository): boolean {
  return isMarked === true;
}

/** The working tree of a repository; its own folder where it has none beside it. */
function treeOf({ path }: RepositorySign): AbsolutePath {
  return nameOf(path) === ".git" ? parentOf(path) : path;
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
