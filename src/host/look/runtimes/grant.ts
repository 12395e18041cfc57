import { type AbsolutePath, byPath, isInside, knownPath } from "../../../profile/path.ts";
import type { Link, Runtime } from "../../../tool/facts.ts";
import { EVERYTHING, type ResolvedPath, reach, type Sight } from "./disk.ts";

/** Visible parts of the machine: canonical paths, and symlinks that lead to them. */
export interface RuntimeGrant {
  readonly read: readonly AbsolutePath[];
  readonly links: readonly Link[];
}

/** The grant of nothing. */
export const NOTHING: RuntimeGrant = { read: [], links: [] };

/** Grants the targets of the paths, with their links; a path that leads nowhere adds nothing. */
export function grantOf(sight: Sight, paths: readonly AbsolutePath[]): RuntimeGrant {
  return grantReached(paths.flatMap((path) => reach(sight, path) ?? []));
}

export function grantReached(reached: readonly ResolvedPath[]): RuntimeGrant {
  return { read: reached.map(({ real }) => real), links: reached.flatMap(({ links }) => links) };
}

/** Combines the grants. */
export function both(...grants: readonly RuntimeGrant[]): RuntimeGrant {
  return { read: grants.flatMap(({ read }) => read), links: grants.flatMap(({ links }) => links) };
}

/** True if the grant includes the path, through a folder that contains it. */
export function shows(grant: Pick<RuntimeGrant, "read">, path: AbsolutePath): boolean {
  return grant.read.some((shown) => isInside(path, shown));
}

/**
 * The same access without repetition, over all runtimes: no path is listed twice or is inside another. A symlink is
 * left out if a shown folder contains it or if its target is not shown. Of entries in several lists `last` keeps its
 * own, else the first does; in the result `last` is the last one.
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
      .toSorted((a, b) => byPath(a.path, b.path)),
    path: runtime.path.filter((path) => once(`path ${path}`)),
  }));
  return last === null ? said : [...said.slice(1), ...said.slice(0, 1)];
}

/** The final target of a link; null if there is none. */
export type EndOf = (link: AbsolutePath) => AbsolutePath | null;

/** The link's target on this machine. */
export function endOnDisk(link: AbsolutePath): AbsolutePath | null {
  return reach(EVERYTHING, link)?.real ?? null;
}

/** One runtime without repetition. */
export function settled(runtime: Runtime): Runtime {
  return settle([], runtime)[0] ?? runtime;
}

/** Folders that every sandbox fills itself: no link of the host's can be made there. */
const OWN = { read: ["/proc", "/dev", "/sys"].map(knownPath) };

function isNeeded(link: AbsolutePath, shown: Pick<RuntimeGrant, "read">, endOf: EndOf): boolean {
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
