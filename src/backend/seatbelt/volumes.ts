import { type AbsolutePath, isInside, ROOT, upwards } from "../../profile/path.ts";
import type { FileEntry } from "../../profile/profile.ts";
import type { Facts } from "../facts.ts";
import { folded } from "./area.ts";

/** Whether names that differ in case are the same at a path; of `/`, whether they are anywhere. */
export function foldsCaseAt({ mac }: Pick<Facts, "mac">, path: AbsolutePath): boolean {
  if (mac === null) return false;
  if (path === ROOT) return mac.volumes.some(({ foldsCase }) => foldsCase);
  const around = mac.volumes.filter(({ point }) => isInside(path, point));
  return around.sort((a, b) => b.point.length - a.point.length)[0]?.foldsCase ?? false;
}

/** True of a path unless it goes through an entry by a name that is the same there but for the case of its letters. */
export function spelledLike(
  files: readonly FileEntry[],
  facts: Pick<Facts, "mac">,
): (path: AbsolutePath) => boolean {
  const spellings = new Map(files.map(({ path }) => [folded(path), path]));
  const isOther = (at: AbsolutePath): boolean =>
    (spellings.get(folded(at)) ?? at) !== at && foldsCaseAt(facts, at);
  return (path) => ![...upwards(path)].some(isOther);
}
