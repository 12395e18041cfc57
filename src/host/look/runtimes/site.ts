import type { AbsolutePath } from "../../../profile/path.ts";
import type { Host } from "../host.ts";
import { EVERYTHING, type Sight } from "./disk.ts";

/** The machine without the roots: their files come from a repository or a tool, and must choose no grants outside. */
export interface RuntimeSite extends Host, Sight {}

/** The machine with these roots, which are canonical. */
export function siteOutside(host: Host, roots: readonly AbsolutePath[]): RuntimeSite {
  return { ...host, hidden: roots };
}

/** The machine including its roots, to find the targets of their paths; never to grant them. */
export function siteWithRoots(site: RuntimeSite): RuntimeSite {
  return { ...site, ...EVERYTHING };
}
