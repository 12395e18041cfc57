import { isBelowTree, isInDependencyTree, isInTree, isNamedByTree } from "../profile/dependency-trees.ts";
import { sha256 } from "../profile/digest.ts";
import type { ExecutedFinder, ExecutedNames } from "../profile/executed.ts";
import { type AbsolutePath, isInside, joinPath } from "../profile/path.ts";
import { isChangedSince } from "./changed-since.ts";
import { namesIn } from "./names-in.ts";
import { realPathOf, statsOf } from "./nodes.ts";

/** The most names that are looked at below one folder. One that holds more counts as changed: nobody knows. */
const MAX_NAMES = 10_000;

/** What stood at names in dependency and build trees, as `statesInTrees` has it. */
export type TreeStates = ReadonlyMap<AbsolutePath, string>;

/** What decides whether something in such a tree is a call's. */
export interface AfterCall {
  readonly before: { readonly treeStates: TreeStates };
  /** Folders that the call could write. */
  readonly writable: readonly AbsolutePath[];
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * The states of paths in dependency and build trees, before a call that may change what stands there. Only paths that hosts execute
 * unasked have one. Paths among installed packages have one only where `mayBeLinkedTo` says that links may lead there.
 */
export function statesInTrees(
  paths: readonly AbsolutePath[],
  executed: ExecutedFinder,
  writable: readonly AbsolutePath[],
  mayBeLinkedTo: () => boolean,
): TreeStates {
  let areLinked: boolean | null = null;
  const counts = (path: AbsolutePath, root: AbsolutePath): boolean => {
    if (!isInTree(path, root)) return true;
    areLinked ??= mayBeLinkedTo();
    return areLinked;
  };
  const inTrees = paths.filter((path) => {
    if (!isBelowTree(path, writable) || executed(path)?.runs !== "unasked") return false;
    const root = writable.find((folder) => isInside(path, folder));
    return root !== undefined && counts(path, root);
  });
  return new Map(inTrees.map((path) => [path, printState(standingAt(path, writable))]));
}

/**
 * True for what hosts execute in a build tree, where something of it was changed since the call began. What lies among installed
 * packages is executed by nobody.
 */
export function isChangedBuild(path: AbsolutePath, executed: ExecutedFinder, call: AfterCall): boolean {
  const row = isBelowTree(path, call.writable) ? executed(path) : null;
  return row !== null && isSeenInBuilds(path, row, call.writable) && isChangedByCall(path, call);
}

/** True for what hosts execute in a build tree, so that a call's change of it is seen to after the call. */
export function isSeenInBuilds(
  path: AbsolutePath,
  row: ExecutedNames,
  writable: readonly AbsolutePath[],
): boolean {
  if (!isBelowTree(path, writable) || row.runs !== "unasked" || isNamedByTree(row.pattern)) return false;
  return !isInDependencyTree(path, row, writable);
}

/**
 * True where something at a path, below it, or where links there lead was changed since the call began; and where something else stands
 * there than before, as old as it may be: to move a folder changes nothing in it.
 */
export function isChangedByCall(path: AbsolutePath, { before, writable, startedAt }: AfterCall): boolean {
  const standing = standingAt(path, writable);
  if (standing === null || standing.some(({ at }) => isChangedSince(at, startedAt))) return true;
  const state = before.treeStates.get(path);
  return state !== undefined && state !== printState(standing);
}

/** One thing, and what tells it from any other; no program can set a change time (inode(7)). */
interface Standing {
  readonly at: AbsolutePath;
  readonly state: string;
}

/** What stands at a path, all below it, and what links lead to that a call may write; null where that is too much to look at. */
function standingAt(top: AbsolutePath, writable: readonly AbsolutePath[]): readonly Standing[] | null {
  const found = new Map<AbsolutePath, Standing>();
  const ahead = [top];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    const folder = at;
    const stats = statsOf(at);
    if (stats === null || found.has(at)) continue;
    if (found.size === MAX_NAMES) return null;
    const end = stats.isSymbolicLink() ? realPathOf(at) : null;
    if (end !== null && writable.some((root) => isInside(end, root))) ahead.push(end);
    if (stats.isDirectory())
      ahead.push(
        ...namesIn(at)
          .toSorted()
          .map((name) => joinPath(folder, name)),
      );
    found.set(at, { at, state: `${stats.dev}:${stats.ino}:${stats.ctimeMs}:${end ?? ""}` });
  }
  return [...found.values()];
}

function printState(standing: readonly Standing[] | null): string {
  const states = (standing ?? []).map(({ state }) => state);
  return states.length > 1 ? sha256(states.join("\n")) : states.join();
}
