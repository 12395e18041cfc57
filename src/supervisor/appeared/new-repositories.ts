import { OBEYED } from "../../backend/repositories.ts";
import { isChangedSince } from "../../host/changed-since.ts";
import { CLOCK_GRAIN_MS } from "../../host/clock-grain.ts";
import type { FoundHook, GitRuns } from "../../host/git/git-runs.ts";
import { statsOf } from "../../host/nodes.ts";
import { type AbsolutePath, isInside, joinPath } from "../../profile/path.ts";
import type { AfterCall } from "./after-call.ts";

/** Whose call it was, as far as its repositories are concerned. */
export interface RepositoryContext {
  /** When the call began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Folders that the call could write. */
  readonly writable: readonly AbsolutePath[];
  /** What git may run now in the repository at a path. */
  readonly runsIn: (path: AbsolutePath) => GitRuns;
}

/**
 * The parts of a new repository that have to go so that git runs nothing there: its hooks, which may lie in its working tree, and its
 * configuration. It has to go itself where these can't be told apart, or where git would run a hook that the call did not make.
 */
export function partsThatRun(repository: AbsolutePath, context: RepositoryContext): readonly AbsolutePath[] {
  const { hooks, configs, isClear } = context.runsIn(repository);
  const found = configs.filter((config) => statsOf(config) !== null);
  const made = hooks.map((hook) => madeOf(hook, context));
  const isOwn = found.every((config) => isInside(config, repository)) && !made.includes(null);
  const parts = [...made.filter((part) => part !== null), ...found];
  return isClear && isOwn && parts.length > 0 ? parts : unmade(repository, context.startedAt);
}

/**
 * The paths that have to go so that git finds no repository there. Where the call made its folder, that goes, and its HEAD by itself, as
 * the folder may only be moved aside. Any other folder holds things of others and may be a root: its HEAD goes, and of the files that
 * git obeys those that the call made.
 */
export function unmade(repository: AbsolutePath, startedAt: number): readonly AbsolutePath[] {
  if (statsOf(repository)?.isDirectory() !== true) return [repository];
  const head = joinPath(repository, "HEAD");
  if (isMadeWhole(repository, startedAt)) return [repository, head];
  const obeyed = OBEYED.map((name) => joinPath(repository, name));
  return [head, ...obeyed.filter((path) => isMadeWhole(path, startedAt))];
}

/** What git may run now in a repository that the call made. */
export function runsIn(path: AbsolutePath, { shared: { host, memory }, before }: AfterCall): GitRuns {
  const stats = statsOf(path);
  const kind = stats?.isSymbolicLink() === true ? "link" : stats?.isFile() === true ? "file" : "folder";
  return memory.repositories.runs(host, { kind, path, isWhole: true }, before.repositories);
}

/** True while git may find a repository there. */
export function isRepository(path: AbsolutePath): boolean {
  const stats = statsOf(path);
  return stats !== null && (!stats.isDirectory() || statsOf(joinPath(path, "HEAD")) !== null);
}

/** True for a file that the call made or changed, and for a folder that it made: to make a file in a folder changes the folder, too. */
function isMadeWhole(path: AbsolutePath, startedAt: number): boolean {
  const stats = statsOf(path);
  if (stats?.isDirectory() === true) return stats.birthtimeMs >= startedAt - CLOCK_GRAIN_MS;
  return isChangedSince(path, startedAt);
}

/** The first thing on the way to a hook that the call made: a link, or the hook itself. Null where it made none of these. */
function madeOf({ path, links }: FoundHook, { writable, startedAt }: RepositoryContext): AbsolutePath | null {
  return [...links, path].find((at) => isIn(writable, at) && isChangedSince(at, startedAt)) ?? null;
}

/** True for a path in one of these folders. */
export function isIn(folders: readonly AbsolutePath[], path: AbsolutePath): boolean {
  return folders.some((folder) => isInside(path, folder));
}
