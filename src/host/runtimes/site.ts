import type { AbsolutePath } from "../../profile/path.ts";
import type { Host } from "../host.ts";
import { EVERYTHING, type Sight } from "./disk.ts";

/**
 * Where runtimes are looked for: the machine without the roots. What lies in a root was written by a repository or a
 * tool, which must not choose what is granted outside of the roots.
 */
export interface Site extends Host, Sight {}

/** The machine with these roots, which are canonical. */
export function siteOutside(host: Host, roots: readonly AbsolutePath[]): Site {
  return { ...host, hidden: roots };
}

/** The machine with all that lies in its roots, to tell what that leads to; never to grant it. */
export function siteWithRoots(site: Site): Site {
  return { ...site, ...EVERYTHING };
}
