import type { Case, Target } from "../case.ts";
import { ofBase } from "./base.ts";
import { ofBounds } from "./bounds.ts";
import { ofKeyrings } from "./keyrings.ts";
import { ofMasks } from "./masks.ts";
import { ofMounts } from "./mounts.ts";
import { ofNetwork } from "./network.ts";
import { ofPrivileges } from "./privileges.ts";
import { ofProcesses } from "./processes.ts";
import { ofRepositories } from "./repositories.ts";
import { ofSpellings } from "./spellings.ts";
import { ofSurroundings } from "./surroundings.ts";

/** Every case of the battery, in the order in which it is tried. */
export function casesFor(target: Target): readonly Case[] {
  return [
    ...ofSpellings(target),
    ...ofMasks(target),
    ...ofRepositories(target),
    ...ofBase(target),
    ...ofBounds(target),
    ...ofMounts(target),
    ...ofPrivileges(target),
    ...ofProcesses(target),
    ...ofKeyrings(),
    ...ofNetwork(target),
    ...ofSurroundings(target),
  ];
}
