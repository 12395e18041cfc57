import { visible } from "../../errors.ts";
import { isInTree } from "../../profile/dependency-trees.ts";
import type { ExecutedNames } from "../../profile/executed.ts";
import { type AbsolutePath, isInside } from "../../profile/path.ts";
import { flatMapInTurns } from "../turns.ts";
import { isChangedSince } from "./changed-since.ts";
import { type InTree, type NewWay, waysIntoTrees } from "./search/tree-links.ts";

/** The results of a look about trees of installed packages and ways into them. */
export interface IntoTrees {
  readonly writable: readonly AbsolutePath[];
  readonly startedAt: number;
  readonly protectedNames: readonly AbsolutePath[];
  /** True for a new or changed path that nothing protected from the call. */
  readonly isNew: (path: AbsolutePath) => boolean;
  readonly executed: (path: AbsolutePath) => ExecutedNames | null;
  readonly newLinks: ReadonlySet<AbsolutePath>;
  readonly linksOutsideTrees: () => Promise<readonly AbsolutePath[] | null>;
}

type Obeyed = Pick<ExecutedNames, "by" | "when">;

/**
 * A new link by which something in such a tree has another path (`way`), or another path of something new there
 * (`protected`), and the program that obeys that; or something whose other paths are unknown (`unprotectable`).
 */
export interface TreeName {
  readonly path: AbsolutePath;
  readonly kind: "way" | "protected" | "unprotectable";
  readonly row: Obeyed | null;
}

interface Named extends InTree {
  readonly row: Obeyed;
}

/**
 * Files that hosts execute may stay in a tree of installed packages, as programs are rarely started there; but a link
 * may lead into it, and a program may be started at the link. So these are the new links, and other paths of new files.
 */
export async function namesIntoTrees(found: IntoTrees): Promise<readonly TreeName[]> {
  const { writable, newLinks, startedAt } = found;
  const named = await flatMapInTurns(found.protectedNames, (path): Omit<Named, "isNew"> | [] => {
    const row = isInTreeOf(writable, path) ? found.executed(path) : null;
    return row?.runs === "unasked" ? { path, row } : [];
  });
  if (named.length === 0) return [];
  const links = await found.linksOutsideTrees();
  // Mostly there are none: then nothing leads into a tree, and changes there need no look.
  if (links?.length === 0 && newLinks.size === 0) return [];
  const inside = await flatMapInTurns(newLinks, (path) => (isInTreeOf(writable, path) ? path : []));
  const outside = await flatMapInTurns(newLinks, (path) => (isInTreeOf(writable, path) ? [] : path));
  const inTrees = await flatMapInTurns(named, (one): Named | readonly Named[] => {
    const isNew = found.isNew(one.path);
    return newLinks.size === 0 && !isNew ? [] : [{ ...one, isNew }];
  });
  if (inTrees.length === 0) return [];
  const fresh = await flatMapInTurns(inTrees, (one) => (one.isNew ? one : []));
  const all = fresh.length + inside.length === 0 ? outside : links;
  const isNewLink = (link: AbsolutePath): boolean => newLinks.has(link) || isChangedSince(link, startedAt);
  const { newWays, atOldWays, isUntold } = await waysIntoTrees(inTrees, all ?? outside, isNewLink);
  const untold = all === null || isUntold ? [...fresh.map(({ path }) => path), ...inside] : [];
  return [
    ...(await flatMapInTurns(newWays, byLink)),
    ...(await flatMapInTurns(
      atOldWays,
      ({ item, path }): TreeName => ({ path, kind: "protected", row: item.row }),
    )),
    ...(await flatMapInTurns(untold, (path): TreeName => ({ path, kind: "unprotectable", row: null }))),
  ];
}

const MAX_SHOWN = 200;

/** A new link is removed itself; one thing below it gives the reason. */
function byLink({ link, first: { path, row }, more }: NewWay<Named>): TreeName {
  const shown = visible(path.length > MAX_SHOWN ? `…${path.slice(-MAX_SHOWN)}` : path);
  const behind = more === 0 ? shown : `${shown} and ${more} more`;
  return { path: link, kind: "way", row: { by: row.by, when: `${row.when} (the link leads to ${behind})` } };
}

function isInTreeOf(writable: readonly AbsolutePath[], path: AbsolutePath): boolean {
  return writable.some((root) => isInside(path, root) && isInTree(path, root));
}
