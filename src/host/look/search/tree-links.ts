import { isInTree, isTree } from "../../../profile/dependency-trees.ts";
import { type AbsolutePath, joinPath, knownPath, nameOf, parentOf, upwards } from "../../../profile/path.ts";
import { inLongTurns } from "../../turns.ts";
import { lookingOnce, wayOf } from "../leads.ts";
import type { Memory } from "./searchable.ts";

/** Maximum of links that are followed. If there are more, none is. */
const MAX_LINKS = 20_000;

/** Links below a granted folder outside of trees of installed packages, in steps; null for more than are followed. */
export function* linksOutsideTrees(
  start: AbsolutePath,
  memory: Memory,
): Generator<void, readonly AbsolutePath[] | null> {
  const links: AbsolutePath[] = [];
  for (const [folder, seen] of memory) {
    yield;
    if (seen.links.length === 0 || isInTree(folder, start)) continue;
    for (const name of seen.links) {
      if (isTree(name)) continue;
      if (links.length === MAX_LINKS) return null;
      links.push(joinPath(folder, name));
    }
  }
  return links;
}

/** Something in a tree of installed packages. */
export interface InTree {
  readonly path: AbsolutePath;
  readonly isNew: boolean;
}

/** A new link by which some of them have other paths: the first of them, and the number of the others. */
export interface NewWay<Item> {
  readonly link: AbsolutePath;
  readonly first: Item;
  readonly more: number;
}

/** A new thing in such a tree, and another path of it, by links that were there before. */
export interface NewAtOldWay<Item> {
  readonly item: Item;
  readonly path: AbsolutePath;
}

/** Each new way once, and each new thing once that is reached by an old way. */
export interface WaysIntoTrees<Item> {
  readonly newWays: readonly NewWay<Item>[];
  readonly atOldWays: readonly NewAtOldWay<Item>[];
  /** True if an old link leads too far to be followed: each of the things may have another path by it. */
  readonly isUntold: boolean;
}

/**
 * Other paths into trees of installed packages, by links outside of them: programs are rarely started in such a tree,
 * but perhaps at the link. The time grows with the number of links plus things, not with their pairs: a call makes
 * thousands of each.
 */
export function waysIntoTrees<Item extends InTree>(
  items: readonly Item[],
  links: readonly AbsolutePath[],
  isNewLink: (link: AbsolutePath) => boolean,
): Promise<WaysIntoTrees<Item>> {
  return inLongTurns(found(items, links, isNewLink));
}

interface End<Item> {
  readonly newLinks: Set<AbsolutePath>;
  old: AbsolutePath | null;
  first: Item | null;
  count: number;
}

function* found<Item extends InTree>(
  items: readonly Item[],
  links: readonly AbsolutePath[],
  isNewLink: (link: AbsolutePath) => boolean,
): Generator<void, WaysIntoTrees<Item>> {
  const newWays = new Map<AbsolutePath, NewWay<Item>>();
  const ends = new Map<AbsolutePath, End<Item>>();
  const look = lookingOnce();
  let isUntold = false;
  for (const link of links) {
    yield;
    const way = wayOf(nameOf(link), parentOf(link), look);
    const made = way.links.find(isNewLink);
    // The end is unknown: perhaps it is one of these.
    if (way.isTooLong) {
      if (made === undefined) isUntold = true;
      else if (items[0] !== undefined)
        newWays.set(made, { link: made, first: items[0], more: items.length - 1 });
    }
    if (way.end === null) continue;
    const end = ends.get(way.end) ?? { newLinks: new Set(), old: null, first: null, count: 0 };
    ends.set(way.end, end);
    if (made === undefined) end.old ??= link;
    else end.newLinks.add(made);
  }
  const atOldWays: NewAtOldWay<Item>[] = [];
  for (const item of items) {
    yield;
    let old: AbsolutePath | null = null;
    for (const at of insideTree(item.path)) {
      const end = ends.get(at);
      if (end === undefined) continue;
      end.first ??= item;
      end.count += 1;
      if (end.old !== null) old ??= knownPath(`${end.old}${item.path.slice(at.length)}`);
    }
    if (item.isNew && old !== null) atOldWays.push({ item, path: old });
  }
  for (const { newLinks, first, count } of ends.values()) {
    yield;
    for (const link of first === null ? [] : newLinks)
      if (first !== null && !newWays.has(link)) newWays.set(link, { link, first, more: count - 1 });
  }
  return { newWays: [...newWays.values()], atOldWays, isUntold };
}

/** The path and the folders above it, up to the nearest with installed packages: a higher one still leads into that. */
function* insideTree(path: AbsolutePath): Generator<AbsolutePath> {
  for (const at of upwards(path)) {
    yield at;
    if (isTree(nameOf(at))) return;
  }
}
