import type { Group } from "../row.ts";
import { BUILD } from "./build.ts";
import { GIT } from "./git.ts";
import { LANGUAGES } from "./languages.ts";
import { LATER } from "./later.ts";
import { NODE } from "./node.ts";
import { REFUSED } from "./refused.ts";
import { SYSTEM } from "./system.ts";

/** Everything that is tried, in the order of the table. */
export const GROUPS: readonly Group[] = [GIT, NODE, LANGUAGES, BUILD, SYSTEM, LATER, REFUSED];
