import { isBelowTree, isInDependencyTree, isNamedByTree } from "../profile/dependency-trees.ts";
import type { ExecutedFinder } from "../profile/executed.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { isChangedSince } from "./changed-since.ts";
import { namesIn } from "./names-in.ts";
import { statsOf } from "./nodes.ts";

/** The most names that are looked at below one folder. One that holds more counts as changed: nobody knows. */
const MAX_NAMES = 10_000;

/** What decides whether something in a build tree is a call's. */
interface AfterCall {
  readonly executed: ExecutedFinder;
  /** Folders that the call could write. */
  readonly writable: readonly AbsolutePath[];
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * True for what hosts execute in a build tree, where something of it was changed since the call began: nothing kept the call from that.
 * What lies among installed packages is executed by nobody.
 */
export function isChangedBuild(path: AbsolutePath, { executed, writable, startedAt }: AfterCall): boolean {
  if (!isBelowTree(path, writable)) return false;
  const row = executed(path);
  if (row?.runs !== "unasked" || isNamedByTree(row.pattern)) return false;
  if (isInDependencyTree(path, row, writable)) return false;
  return isAnyChangedSince(path, startedAt);
}

/** True where something, or anything below it, was changed since a moment in milliseconds since 1970. */
export function isAnyChangedSince(top: AbsolutePath, moment: number): boolean {
  const ahead = [top];
  let passed = 0;
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    passed += 1;
    if (passed > MAX_NAMES || isChangedSince(at, moment)) return true;
    const folder = at;
    if (statsOf(at)?.isDirectory() === true) ahead.push(...namesIn(at).map((name) => joinPath(folder, name)));
  }
  return false;
}
