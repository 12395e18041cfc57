import { type AbsolutePath, byPath, isInside, knownPath } from "../../profile/path.ts";
import type { Link, Runtime } from "../../tool/facts.ts";
import { EVERYTHING, type Reached, reach, type Sight } from "./disk.ts";

/** What is shown of the machine: canonical paths, and symlinks that lead to them. */
export interface Grant {
  readonly read: readonly AbsolutePath[];
  readonly links: readonly Link[];
}

/** The grant of nothing. */
export const NOTHING: Grant = { read: [], links: [] };

/** Shows what the paths lead to, under the names that they have; a path that leads nowhere shows nothing. */
export function grantOf(sight: Sight, paths: readonly AbsolutePath[]): Grant {
  return grantReached(paths.flatMap((path) => reach(sight, path) ?? []));
}

/** Shows what was reached. */
export function grantReached(reached: readonly Reached[]): Grant {
  return { read: reached.map(({ real }) => real), links: reached.flatMap(({ links }) => links) };
}

/** Everything that the grants show. */
export function both(...grants: readonly Grant[]): Grant {
  return { read: grants.flatMap(({ read }) => read), links: grants.flatMap(({ links }) => links) };
}

/** True when the grant shows the path, by a folder that holds it. */
export function shows(grant: Pick<Grant, "read">, path: AbsolutePath): boolean {
  return grant.read.some((shown) => isInside(path, shown));
}

/**
 * The same access said once: over all runtimes nothing is listed twice, no path lies inside another, and a symlink is
 * left out where a shown folder has it anyway or where nothing that is shown lies behind it. What several list, `last`
 * keeps, else the first; of the result `last` is the last one.
 */
export function settle(
  runtimes: readonly Runtime[],
  last: Runtime | null,
  endOf: EndOf = endOnDisk,
): readonly Runtime[] {
  const all = last === null ? runtimes : [last, ...runtimes];
  const shown = { read: outermost(all.flatMap(({ read }) => read)) };
  const once = oncePerText();
  const said = all.map((runtime) => ({
    ...runtime,
    read: runtime.read.filter((path) => shown.read.includes(path) && once(`read ${path}`)).toSorted(byPath),
    links: runtime.links
      .filter(({ path }) => isNeeded(path, shown, endOf) && once(`link ${path}`))
      .toSorted(byLink),
    path: runtime.path.filter((path) => once(`path ${path}`)),
  }));
  return last === null ? said : [...said.slice(1), ...said.slice(0, 1)];
}

/** Where a link leads in the end; null where that is nowhere. */
export type EndOf = (link: AbsolutePath) => AbsolutePath | null;

/** As this machine has it. */
export function endOnDisk(link: AbsolutePath): AbsolutePath | null {
  return reach(EVERYTHING, link)?.real ?? null;
}

/** One runtime alone, said once. */
export function settled(runtime: Runtime): Runtime {
  return settle([], runtime)[0] ?? runtime;
}

function byLink(a: Link, b: Link): number {
  return byPath(a.path, b.path);
}

/** Folders that every sandbox has for itself and fills by itself: no link of the host's can be made there. */
const OWN = { read: ["/proc", "/dev", "/sys"].map(knownPath) };

function isNeeded(link: AbsolutePath, shown: Pick<Grant, "read">, endOf: EndOf): boolean {
  if (shows(shown, link) || shows(OWN, link)) return false;
  const end = endOf(link);
  return end !== null && shown.read.some((path) => isInside(end, path) || isInside(path, end));
}

function outermost(paths: readonly AbsolutePath[]): readonly AbsolutePath[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other)));
}

function oncePerText(): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => seen.size < seen.add(text).size;
}
