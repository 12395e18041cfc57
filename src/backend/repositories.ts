import { visible } from "../errors.ts";
import { type Layer, maskKey } from "../profile/explain.ts";
import { REPOSITORY_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, joinPath, nameOf, namesOf, parentOf, upwards } from "../profile/path.ts";
import { literalPattern } from "../profile/pattern.ts";
import { type Mask, normalProfile, OPEN, type Profile } from "../profile/profile.ts";

/**
 * A sign by which git finds a repository, in a folder that calls may write: a repository's own folder (`.git`, a bare
 * one of any name, one of a submodule or worktree), a file `.git` that leads to one, or a link in the place of either.
 */
export interface RepositorySign {
  readonly kind: "folder" | "file" | "link";
  readonly path: AbsolutePath;
  /** True if git would accept it as a repository now (gitrepository-layout(5); setup.c, `is_git_directory`). */
  readonly isWhole: boolean;
}

/** The same, with the parts that git obeys because the configuration there names them. */
export interface Repository extends RepositorySign {
  /** Folders of hooks (`core.hooksPath`), whether or not they exist, and links among hooks, wherever these lie. */
  readonly hooks: readonly AbsolutePath[];
  /** Included configurations (`include.path`), existing or not, and the links on the way to the repository's parts. */
  readonly configs: readonly AbsolutePath[];
  /** The obeyed parts of the folders that the sign leads to, whether or not they are a repository as they are. */
  readonly parts: readonly AbsolutePath[];
  /**
   * Folders that must stay where they are: a written way to any of these enters and leaves them by `..`, so that a link
   * in their place would lead it elsewhere.
   */
  readonly detours: readonly AbsolutePath[];
  /** The call starts in it or names it, or it is a root of its own: see `withNear`. Left out otherwise. */
  readonly isNear?: true;
}

/**
 * The maximum of changeable repositories that are not near. Each mask is a mount, whose cost grows with their square.
 */
export const MAX_OPEN_REPOSITORIES = 16;

/** Parts of a repository's folder that git runs or reads commands from (gitrepository-layout(5), githooks(5)). */
export const OBEYED = ["hooks", "config", "config.worktree", "commondir"];

/** The same in the folder of a linked worktree: hooks and the rest of its configuration lie in the common folder. */
export const OBEYED_OF_A_WORKTREE = ["gitdir", "commondir", "config.worktree"];

/**
 * Marks those near a call: by its start folder, named folders, and roots that are working trees. Their targets, as of a
 * worktree or submodule, are near as well.
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

/** True if there may be too many for all to be open. */
export function areMany(repositories: readonly Repository[]): boolean {
  return repositories.length > MAX_OPEN_REPOSITORIES;
}

/** Repositories that cannot be changed, because there are too many: the working tree or else folder of each. */
export function closedRepositories(repositories: readonly Repository[]): readonly ClosedRepository[] {
  return sorted(repositories).closed.map((one) => ({ path: one.path, tree: treeOf(one) }));
}

/** One of those. */
export interface ClosedRepository {
  readonly path: AbsolutePath;
  readonly tree: AbsolutePath;
}

/**
 * The masks that keep git from obeying a call's writes, in every repository that exists at the start. They name paths,
 * so they hold for missing ones as well: `commondir`, for example, could lead git to another configuration. Index,
 * refs, HEAD and objects are left alone: add, commit, branch, stash and rebase work. The same signs in any order give
 * the same masks.
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

/** The layer of these masks: it only takes away. It says why a repository is closed, and a remedy. */
export function repositoryLayer(repositories: readonly Repository[]): Layer {
  const closed = closedRepositories(repositories);
  const byPath = (textOf: (one: ClosedRepository) => string): ReadonlyMap<string, string> =>
    new Map(closed.map((one) => [maskKey({ pattern: literalPattern(one.path) }), textOf(one)]));
  return {
    name: REPOSITORY_LAYER,
    profile: repositoryProfile(repositories),
    sources: new Map(),
    reasons: byPath(({ path }) => `${visible(path)} is read-only: ${whyClosed(repositories)}`),
    remedies: byPath(({ tree }) => openedBy(visible(tree))),
  };
}

/** The reason why some are closed, with their number. */
export function whyClosed(repositories: readonly Repository[]): string {
  const { all, closed } = sorted(repositories);
  const count = all.filter(({ kind }) => kind === "folder").length;
  return `this call can change at most ${count - closed.length} of ${count} repositories`;
}

/** The remedy that opens a repository. */
export function openedBy(tree: string): string {
  return `start the call in ${tree} or name that folder in it, or list it as a separate root under \`sandbox.paths\``;
}

/** The profile of this layer alone, which only takes away. */
export function repositoryProfile(repositories: readonly Repository[]): Profile {
  return normalProfile({ ...OPEN, masks: repositoryMasks(repositories) });
}

function sorted(repositories: readonly Repository[]): Record<"all" | "closed", readonly Repository[]> {
  const obeying = repositories.filter(isObeyed).sort(shallowFirst);
  const [near, far] = [obeying.filter(isNear), obeying.filter((one) => !isNear(one))];
  const closed = far.slice(MAX_OPEN_REPOSITORIES).filter(({ kind }) => kind === "folder");
  return { all: [...near, ...far], closed };
}

function isNear({ isNear: isMarked }: Repository): boolean {
  return isMarked === true;
}

function treeOf({ path }: RepositorySign): AbsolutePath {
  return nameOf(path) === ".git" ? parentOf(path) : path;
}

/** A folder `.git` counts before it is complete: one call could remove a part, and the next one use that. */
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
