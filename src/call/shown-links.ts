import type { CallPolicy } from "../decide/call-policy.ts";
import { madeLinks } from "../host/look/made-links.ts";
import type { AbsolutePath } from "../profile/path.ts";

/** The host's links that are made again inside, with their targets: see `madeLinks`. */
export function shownLinks({
  settings,
  backend,
}: Pick<CallPolicy, "settings" | "backend">): ReadonlyMap<AbsolutePath, string> {
  const links = madeLinks(settings.roots, settings.runtimes, backend);
  return new Map(links.map(({ path, target }) => [path, target]));
}
