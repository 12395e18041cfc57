import { isBelowTree, isInDependencyTree, isInTree, isNamedByTree } from "../../profile/dependency-trees.ts";
import { sha256 } from "../../profile/digest.ts";
import type { ExecutedFinder, ExecutedNames } from "../../profile/executed.ts";
import { type AbsolutePath, isInside, joinPath } from "../../profile/path.ts";
import { isChangedSince } from "./changed-since.ts";
import { namesIn } from "./names-in.ts";
import { realPathOf, statsOf } from "./nodes.ts";

/** Maximum of names searched below one folder. A larger one counts as changed, as its state is unknown. */
const MAX_NAMES = 10_000;

/** States of names in dependency and build trees, as `statesInTrees` returns them. */
export type TreeStates = ReadonlyMap<AbsolutePath, string>;

/** The facts that decide whether something in such a tree is the call's. */
export interface ChangedSince {
  readonly before: { readonly treeStates: TreeStates };
  readonly writable: readonly AbsolutePath[];
  /** The start of the call, in milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * The states of paths in dependency and build trees, before a call that may change them: only of paths that hosts
 * execute by themselves, among installed packages only if `mayBeLinkedTo` says that links may lead there.
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
  return new Map(inTrees.map((path) => [path, printState(treeNodesAt(path, writable))]));
}

/**
 * True for a path in a build tree that hosts execute, if anything there changed since the call began; not for packages.
 */
export function isChangedBuild(path: AbsolutePath, executed: ExecutedFinder, call: ChangedSince): boolean {
  const row = isBelowTree(path, call.writable) ? executed(path) : null;
  return row !== null && isSeenInBuilds(path, row, call.writable) && isChangedByCall(path, call);
}

/** True for a path in a build tree that hosts execute, so that a call's change of it is handled after the call. */
export function isSeenInBuilds(
  path: AbsolutePath,
  row: ExecutedNames,
  writable: readonly AbsolutePath[],
): boolean {
  if (!isBelowTree(path, writable) || row.runs !== "unasked" || isNamedByTree(row.pattern)) return false;
  return !isInDependencyTree(path, row, writable);
}

/**
 * True if anything at a path, below it, or at the targets of its links changed since the call began, or if the path
 * holds another thing than before: moving a folder changes nothing in it.
 */
export function isChangedByCall(path: AbsolutePath, { before, writable, startedAt }: ChangedSince): boolean {
  const nodes = treeNodesAt(path, writable);
  if (nodes === null || nodes.some(({ at }) => isChangedSince(at, startedAt))) return true;
  const state = before.treeStates.get(path);
  return state !== undefined && state !== printState(nodes);
}

interface TreeNode {
  readonly at: AbsolutePath;
  readonly state: string;
}

/** The nodes at a path, all below it, and the targets of links that a call may write; null if there are too many. */
function treeNodesAt(top: AbsolutePath, writable: readonly AbsolutePath[]): readonly TreeNode[] | null {
  const found = new Map<AbsolutePath, TreeNode>();
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

function printState(nodes: readonly TreeNode[] | null): string {
  const states = (nodes ?? []).map(({ state }) => state);
  return states.length > 1 ? sha256(states.join("\n")) : states.join();
}
