import { type AbsolutePath, foldedPath, isInside, ROOT, upwards } from "../../profile/path.ts";
import type { FileEntry } from "../../profile/profile.ts";
import type { Facts } from "../facts.ts";

/** Whether names that differ in case are the same at a path; of `/`, whether they are anywhere. */
export function foldsCaseAt(facts: Pick<Facts, "mac">, path: AbsolutePath): boolean {
  const { mac } = facts;
  if (mac === null) return false;
  if (path === ROOT) return foldsCaseBelow(facts, path);
  const around = mac.volumes.filter(({ point }) => isInside(path, point));
  return around.sort((a, b) => b.point.length - a.point.length)[0]?.foldsCase ?? false;
}

/** Whether names that differ in case are the same somewhere below a path, as far as its volumes are known. */
export function foldsCaseBelow(facts: Pick<Facts, "mac">, path: AbsolutePath): boolean {
  const within = (facts.mac?.volumes ?? []).filter(({ point }) => isInside(point, path));
  return within.some(({ foldsCase }) => foldsCase) || (path !== ROOT && foldsCaseAt(facts, path));
}

/**
 * True of a path unless it goes through an entry by a name that differs in the case of its letters alone. A kernel may take
 * both for the same in what rules say, also where the volume tells them apart.
 */
export function spelledLike(files: readonly FileEntry[]): (path: AbsolutePath) => boolean {
  const spellings = new Map(files.map(({ path }) => [foldedPath(path), path]));
  return (path) => [...upwards(path)].every((at) => (spellings.get(foldedPath(at)) ?? at) === at);
}
