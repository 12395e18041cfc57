import { visible } from "../errors.ts";
import { isInTree } from "../profile/dependency-trees.ts";
import type { ExecutedNames } from "../profile/executed.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { isChangedSince } from "./changed-since.ts";
import { type InTree, type NewWay, waysIntoTrees } from "./search/tree-links.ts";
import { flatMapInTurns } from "./turns.ts";

/** What a look found, as far as trees of installed packages and ways into them are concerned. */
export interface IntoTrees {
  /** Folders that the call could write. */
  readonly writable: readonly AbsolutePath[];
  /** When the call began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly protectedNames: readonly AbsolutePath[];
  /** True for what came to be, or was changed: nothing kept the call from that. */
  readonly isNew: (path: AbsolutePath) => boolean;
  readonly executed: (path: AbsolutePath) => ExecutedNames | null;
  /** Links that came to be at their paths. */
  readonly newLinks: ReadonlySet<AbsolutePath>;
  readonly linksOutsideTrees: () => Promise<readonly AbsolutePath[] | null>;
}

/** Which program obeys it, and when. */
type Obeyed = Pick<ExecutedNames, "by" | "when">;

/**
 * A new link by which something in such a tree has another path (`way`), or another path of something new there (`protected`), and
 * which program obeys that; or something of which other paths can't be told (`unprotectable`).
 */
export interface TreeName {
  readonly path: AbsolutePath;
  readonly kind: "way" | "protected" | "unprotectable";
  readonly row: Obeyed | null;
}

/** A protected name in such a tree, and the row that names it. */
interface Named extends InTree {
  readonly row: Obeyed;
}

/**
 * What hosts execute in a tree of installed packages may stay there, as nobody starts programs in it; but a link may lead into it, and
 * somebody may start them where that is. So these are the new links, and other paths of what is new.
 */
export async function namesIntoTrees(found: IntoTrees): Promise<readonly TreeName[]> {
  const { writable, newLinks, startedAt } = found;
  const named = await flatMapInTurns(found.protectedNames, (path): Omit<Named, "isNew"> | [] => {
    const row = isInTreeOf(writable, path) ? found.executed(path) : null;
    return row?.runs === "unasked" ? { path, row } : [];
  });
  if (named.length === 0) return [];
  const links = await found.linksOutsideTrees();
  // Mostly there are none: then nothing leads into a tree, and what changed there needs no look.
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

/** The most characters that are shown of a path. */
const MOST_SHOWN = 200;

/** A new link is taken away itself; one thing behind it tells the reason. */
function byLink({ link, first: { path, row }, more }: NewWay<Named>): TreeName {
  const shown = visible(path.length > MOST_SHOWN ? `…${path.slice(-MOST_SHOWN)}` : path);
  const behind = more === 0 ? shown : `${shown} and ${more} more`;
  return { path: link, kind: "way", row: { by: row.by, when: `${row.when} (the link leads to ${behind})` } };
}

function isInTreeOf(writable: readonly AbsolutePath[], path: AbsolutePath): boolean {
  return writable.some((root) => isInside(path, root) && isInTree(path, root));
}
