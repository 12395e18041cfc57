import { type AbsolutePath, isInside, upwards } from "../../../profile/path.ts";
import { type Lstat, leadsTo, wayOf } from "../leads.ts";
import { statsOf } from "../nodes.ts";

/**
 * Every place that decides what is found at a written path, as the kernel takes it from a folder: each link on the way,
 * and the end, which may be missing; and each place that would have to exist, or be a folder, before anything is found.
 */
export function placesOn(
  written: string,
  from: AbsolutePath,
  look: Lstat = statsOf,
): readonly [end: AbsolutePath, ...others: AbsolutePath[]] {
  const { end: found, links, places } = wayOf(written, from, look);
  const end = found ?? leadsTo(written, from, () => true, look).path;
  const there = [...upwards(end)].find((at) => look(at) !== null) ?? end;
  const inTheWay = there !== end && look(there)?.isDirectory() !== true ? [there] : [];
  const last = found === null ? places.slice(-1) : [];
  return [end, ...links, ...inTheWay, ...last.filter((place) => !isInside(end, place))];
}

/** The folders from one upwards that lack this name, and the first that has it. */
export function upToFirst(
  folder: AbsolutePath,
  isThere: (at: AbsolutePath) => boolean,
): readonly AbsolutePath[] {
  const all = [...upwards(folder)];
  const first = all.findIndex(isThere);
  return first < 0 ? all : all.slice(0, first + 1);
}
