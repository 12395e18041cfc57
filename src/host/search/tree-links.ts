import { isInTree } from "../../profile/dependency-trees.ts";
import { type AbsolutePath, isInside, joinPath, knownPath, ROOT } from "../../profile/path.ts";
import { wayOf } from "../leads.ts";
import { inLongTurns } from "../turns.ts";
import type { Memory } from "./searchable.ts";

/** The most links that are followed. Where there are more, none is. */
const MOST_LINKS = 20_000;

/** Links below a granted folder that lie in no tree of installed packages; null for more than are followed. */
export function linksOutsideTrees(start: AbsolutePath, memory: Memory): readonly AbsolutePath[] | null {
  const links: AbsolutePath[] = [];
  for (const [folder, seen] of memory) {
    if (seen.links.length === 0 || isInTree(folder, start)) continue;
    for (const name of seen.links) links.push(joinPath(folder, name));
    if (links.length > MOST_LINKS) return null;
  }
  return links;
}

/** Something in a tree of installed packages, by another path of it. */
export interface Alias<Item> {
  readonly of: Item;
  readonly path: AbsolutePath;
}

/**
 * Other paths of what lies in trees of installed packages, by links that lie outside of them: nobody starts programs in such a tree,
 * but perhaps where the link is.
 */
export function aliasesOf<Item extends { readonly path: AbsolutePath }>(
  items: readonly Item[],
  links: readonly AbsolutePath[],
): Promise<readonly Alias<Item>[]> {
  return inLongTurns(found(items, links));
}

function* found<Item extends { readonly path: AbsolutePath }>(
  items: readonly Item[],
  links: readonly AbsolutePath[],
): Generator<void, readonly Alias<Item>[]> {
  const aliases: Alias<Item>[] = [];
  for (const link of links) {
    yield;
    const { end } = wayOf(link, ROOT);
    if (end === null) continue;
    for (const of of items)
      if (isInside(of.path, end))
        aliases.push({ of, path: knownPath(`${link}${of.path.slice(end.length)}`) });
  }
  return aliases;
}
