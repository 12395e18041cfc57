import { ofStart } from "./at-start.ts";
import type { Attack, AttackTarget } from "./attack.ts";
import { ofBase } from "./base.ts";
import { ofBounds } from "./bounds.ts";
import { ofKeyrings } from "./keyrings.ts";
import { ofNames } from "./mac/names.ts";
import { ofMacNetwork } from "./mac/network.ts";
import { ofPlaces } from "./mac/places.ts";
import { ofMacProcesses } from "./mac/processes.ts";
import { ofServices } from "./mac/services.ts";
import { ofMacSurroundings } from "./mac/surroundings.ts";
import { ofMasks } from "./masks.ts";
import { ofMounts } from "./mounts.ts";
import { ofNetwork } from "./network.ts";
import { ofPrivileges } from "./privileges.ts";
import { ofProcesses } from "./processes.ts";
import { ofRepositories } from "./repositories.ts";
import { ofSpellings } from "./spellings.ts";
import { ofSurroundings } from "./surroundings.ts";

const GROUPS: readonly ((target: AttackTarget) => readonly Attack[])[] = [
  ofStart,
  ofSpellings,
  ofNames,
  ofMasks,
  ofRepositories,
  ofBase,
  ofPlaces,
  ofBounds,
  ofMounts,
  ofPrivileges,
  ofProcesses,
  ofMacProcesses,
  ofKeyrings,
  ofNetwork,
  ofMacNetwork,
  ofServices,
  ofSurroundings,
  ofMacSurroundings,
];

/** The attacks of the selftest on one platform. */
export function attacksFor(target: AttackTarget, platform: "linux" | "darwin"): readonly Attack[] {
  return GROUPS.flatMap((of) => of(target)).filter(({ on }) => on === "both" || on === platform);
}
