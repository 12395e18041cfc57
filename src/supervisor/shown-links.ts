import type { AbsolutePath } from "../profile/path.ts";
import type { Standing } from "./standing.ts";

/** The links of the host's that are made again inside, and what they say: see `madeLinks`. */
export function shownLinks({
  settings,
  backend,
}: Pick<Standing, "settings" | "backend">): ReadonlyMap<AbsolutePath, string> {
  const ofRoots = settings.roots.flatMap(({ links = [] }) => links);
  const own = ofRoots.filter(({ path }) => backend.viewAround(path) === null);
  const links = [...settings.runtimes.flatMap((runtime) => runtime.links), ...own];
  return new Map(links.map(({ path, target }) => [path, target]));
}
