import { type AbsolutePath, isInside, knownPath } from "../../profile/path.ts";
import type { Link, Root, Runtime } from "../../tool/facts.ts";

/** The only place of a sandbox's own in which its programs may make links themselves. */
const SCRATCH = knownPath("/tmp");

/**
 * The links that are made again in a sandbox, each once: those on the way to files of runtimes, and those by which
 * people reach the roots. `viewAround` returns the place of its own in which a path lies: of these only scratch space
 * has such links, and none in the way of `home`.
 */
export function madeLinks(
  roots: readonly Pick<Root, "links">[],
  runtimes: readonly Pick<Runtime, "links">[],
  {
    viewAround,
    home,
  }: { readonly viewAround: (path: AbsolutePath) => AbsolutePath | null; readonly home: AbsolutePath },
): readonly Link[] {
  const isMade = ({ path }: Link): boolean => {
    const view = viewAround(path);
    return view === null || (view === SCRATCH && !isInside(path, home) && !isInside(home, path));
  };
  const ofRoots = roots.flatMap(({ links = [] }) => links.filter(isMade));
  const links = [...runtimes.flatMap((runtime) => runtime.links), ...ofRoots];
  return [...new Map(links.map((link) => [link.path, link])).values()];
}
