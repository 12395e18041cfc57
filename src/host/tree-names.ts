import { isInTree } from "../profile/dependency-trees.ts";
import type { ExecutedNames } from "../profile/executed.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { isLink } from "./nodes.ts";
import { aliasesOf } from "./search/tree-links.ts";
import { flatMapInTurns } from "./turns.ts";

/** What a look found, as far as trees of installed packages and ways into them are concerned. */
export interface IntoTrees {
  /** Folders that the call could write. */
  readonly writable: readonly AbsolutePath[];
  readonly protectedNames: readonly AbsolutePath[];
  readonly isNew: (path: AbsolutePath) => boolean;
  readonly executed: (path: AbsolutePath) => ExecutedNames | null;
  /** What is new besides, links among it. */
  readonly watched: readonly AbsolutePath[];
  readonly linksOutsideTrees: () => readonly AbsolutePath[] | null;
}

/** A protected name in such a tree by another path, and the row that names it; null for its own path, where that can't be told. */
export interface TreeName {
  readonly path: AbsolutePath;
  readonly row: ExecutedNames | null;
}

/**
 * What hosts execute in a tree of installed packages may stay there, as nobody starts programs in it; but a link may lead into it, and
 * somebody may start them where that is. So these are its other paths, where it is new, or the link is.
 */
export async function namesIntoTrees(found: IntoTrees): Promise<readonly TreeName[]> {
  const { writable, watched } = found;
  const freshLinks = await flatMapInTurns(watched, (path) =>
    !isInTreeOf(writable, path) && isLink(path) ? path : [],
  );
  const inTrees = await flatMapInTurns(found.protectedNames, (path) => {
    if (!isInTreeOf(writable, path) || (freshLinks.length === 0 && !found.isNew(path))) return [];
    const row = found.executed(path);
    return row?.runs === "unasked" ? [{ path, row }] : [];
  });
  const fresh = inTrees.filter(({ path }) => found.isNew(path));
  const links = fresh.length === 0 ? [] : found.linksOutsideTrees();
  if (links === null) return fresh.map(({ path }) => ({ path, row: null }));
  const aliases = [...(await aliasesOf(fresh, links)), ...(await aliasesOf(inTrees, freshLinks))];
  const byPath = new Map(aliases.map(({ of, path }) => [path, { path, row: of.row }]));
  return [...byPath.values()];
}

function isInTreeOf(writable: readonly AbsolutePath[], path: AbsolutePath): boolean {
  return writable.some((root) => isInside(path, root) && isInTree(path, root));
}
