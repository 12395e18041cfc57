import { OBEYED } from "../../backend/repositories.ts";
import { isChangedSince } from "../../host/look/changed-since.ts";
import { CLOCK_GRAIN_MS } from "../../host/look/clock-grain.ts";
import type { FoundHook, GitRuns } from "../../host/look/git/git-runs.ts";
import { statsOf } from "../../host/look/nodes.ts";
import { type AbsolutePath, isInside, joinPath } from "../../profile/path.ts";
import type { AfterCall } from "./after-call.ts";

/** The call's properties that matter for its repositories. */
export interface RepositoryContext {
  /** Start of the call, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly writable: readonly AbsolutePath[];
  readonly runsIn: (path: AbsolutePath) => GitRuns;
}

/**
 * The parts to remove from a new repository so that git runs nothing there: its configuration, and its hooks, which may
 * lie in its working tree. The repository itself if these can't be told apart, or if git would run an older hook.
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
 * The paths to remove so that git finds no repository there. A folder made by the call goes, and its HEAD separately,
 * as the folder may only be moved aside. Any other folder holds other files and may be a root: only its HEAD goes, and
 * files that git obeys and the call made.
 */
export function unmade(repository: AbsolutePath, startedAt: number): readonly AbsolutePath[] {
  if (statsOf(repository)?.isDirectory() !== true) return [repository];
  const head = joinPath(repository, "HEAD");
  if (isMadeWhole(repository, startedAt)) return [repository, head];
  const obeyed = OBEYED.map((name) => joinPath(repository, name));
  return [head, ...obeyed.filter((path) => isMadeWhole(path, startedAt))];
}

/** The commands that git may now run in a repository that the call made. */
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

/** True for a file changed by the call, and a folder made by it: new files change their folder, too. */
function isMadeWhole(path: AbsolutePath, startedAt: number): boolean {
  const stats = statsOf(path);
  if (stats?.isDirectory() === true) return stats.birthtimeMs >= startedAt - CLOCK_GRAIN_MS;
  return isChangedSince(path, startedAt);
}

/** The first item made by the call on the way to a hook: a link, or the hook itself. Null if it made none. */
function madeOf({ path, links }: FoundHook, { writable, startedAt }: RepositoryContext): AbsolutePath | null {
  return [...links, path].find((at) => isIn(writable, at) && isChangedSince(at, startedAt)) ?? null;
}

/** True for a path in one of these folders. */
export function isIn(folders: readonly AbsolutePath[], path: AbsolutePath): boolean {
  return folders.some((folder) => isInside(path, folder));
}
