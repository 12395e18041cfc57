import type { AbsolutePath } from "../profile/path.ts";
import type { Link, Root, Runtime } from "../tool/facts.ts";

/**
 * The links that are made again in a sandbox, each once: those on the way to what runtimes need, and those by which people
 * reach the roots. Where a sandbox has a place of its own (`/tmp`), no link of the host's is made: what stands there is the
 * call's.
 */
export function madeLinks(
  roots: readonly Pick<Root, "links">[],
  runtimes: readonly Pick<Runtime, "links">[],
  isOwnPlace: (path: AbsolutePath) => boolean,
): readonly Link[] {
  const ofRoots = roots.flatMap(({ links = [] }) => links.filter(({ path }) => !isOwnPlace(path)));
  const links = [...runtimes.flatMap((runtime) => runtime.links), ...ofRoots];
  return [...new Map(links.map((link) => [link.path, link])).values()];
}
