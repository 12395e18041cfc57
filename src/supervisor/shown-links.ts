import { madeLinks } from "../host/made-links.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Standing } from "./standing.ts";

/** The links of the host's that are made again inside, and what they say: see `madeLinks`. */
export function shownLinks({
  settings,
  backend,
}: Pick<Standing, "settings" | "backend">): ReadonlyMap<AbsolutePath, string> {
  const links = madeLinks(settings.roots, settings.runtimes, backend);
  return new Map(links.map(({ path, target }) => [path, target]));
}
