import { isDeepStrictEqual } from "node:util";
import type { Facts, PathNode } from "../../backend/facts.ts";

/** True if two looks found the same: lists that each look makes again are compared by content, all else by identity. */
export function isSameFacts(a: Facts, b: Facts): boolean {
  const {
    nodes,
    ways,
    hits,
    shown,
    repositories,
    copies,
    gitLinks,
    strayLinks,
    unsearched,
    nameFiles,
    deviceNodes,
    ...rest
  } = a;
  return (
    Object.entries(rest).every(([name, value]) => Object.is(value, Reflect.get(b, name))) &&
    isSameList(hits, b.hits) &&
    isSameList(gitLinks, b.gitLinks) &&
    isDeepStrictEqual(strayLinks, b.strayLinks) &&
    isDeepStrictEqual(repositories, b.repositories) &&
    isDeepStrictEqual(copies, b.copies) &&
    isDeepStrictEqual(unsearched, b.unsearched) &&
    isDeepStrictEqual(nameFiles, b.nameFiles) &&
    isDeepStrictEqual(deviceNodes, b.deviceNodes) &&
    a.start === b.start &&
    isSameMap(nodes, b.nodes, isSameNode) &&
    isDeepStrictEqual(ways, b.ways) &&
    isSameMap(shown, b.shown, isSameList)
  );
}

function isSameNode(a: PathNode, b: PathNode): boolean {
  if (a.kind === "missing" || b.kind === "missing") return a.kind === b.kind;
  const target = (node: PathNode): string | null => (node.kind === "link" ? node.target : null);
  const isCopyable = (node: PathNode): boolean => node.kind === "file" && node.isCopyable === true;
  return a.kind === b.kind && a.id === b.id && target(a) === target(b) && isCopyable(a) === isCopyable(b);
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

function isSameMap<Value>(
  a: ReadonlyMap<string, Value>,
  b: ReadonlyMap<string, Value>,
  isSameValue: (a: Value, b: Value) => boolean,
): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !isSameValue(value, other)) return false;
  }
  return true;
}
