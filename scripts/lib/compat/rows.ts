import type { Group } from "./row.ts";
import { BUILD } from "./rows-build.ts";
import { GIT } from "./rows-git.ts";
import { LANGUAGES } from "./rows-languages.ts";
import { LATER } from "./rows-later.ts";
import { NODE } from "./rows-node.ts";
import { REFUSED } from "./rows-refused.ts";
import { SYSTEM } from "./rows-system.ts";

/** Everything that is tried, in the order of the table. */
export const GROUPS: readonly Group[] = [GIT, NODE, LANGUAGES, BUILD, SYSTEM, LATER, REFUSED];
