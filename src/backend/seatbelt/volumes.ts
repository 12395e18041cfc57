import { type AbsolutePath, foldedPath, isInside, ROOT, upwards } from "../../profile/path.ts";
import type { FileEntry } from "../../profile/profile.ts";
import type { Facts } from "../facts.ts";

/** True if names that differ in case are the same at a path; for `/`, if they are anywhere. */
export function foldsCaseAt(facts: Pick<Facts, "mac">, path: AbsolutePath): boolean {
  const { mac } = facts;
  if (mac === null) return false;
  if (path === ROOT) return foldsCaseBelow(facts, path);
  const around = mac.volumes.filter(({ point }) => isInside(path, point));
  return around.sort((a, b) => b.point.length - a.point.length)[0]?.foldsCase ?? false;
}

/** True if names that differ in case are the same somewhere below a path, as far as its volumes are known. */
export function foldsCaseBelow(facts: Pick<Facts, "mac">, path: AbsolutePath): boolean {
  const within = (facts.mac?.volumes ?? []).filter(({ point }) => isInside(point, path));
  return within.some(({ foldsCase }) => foldsCase) || (path !== ROOT && foldsCaseAt(facts, path));
}

/** True unless the path goes through an entry by another case, which a kernel may treat as equal in rules. */
export function spelledLike(files: readonly FileEntry[]): (path: AbsolutePath) => boolean {
  const spellings = new Map(files.map(({ path }) => [foldedPath(path), path]));
  return (path) => [...upwards(path)].every((at) => (spellings.get(foldedPath(at)) ?? at) === at);
}
