import { LANGUAGE, REGEXES } from "./language.ts";
import { NAMES } from "./names.ts";
import { networkProbes } from "./network.ts";
import type { Probe } from "./probe.ts";
import { RULES } from "./rules.ts";
import { SPELLING } from "./spelling.ts";
import { SYSTEM } from "./system.ts";

/** Every question, in the order in which they are told. `own`: an address of this machine in its network, or null. */
export function probesFor(own: string | null): readonly Probe[] {
  return [...RULES, ...SPELLING, ...NAMES, ...networkProbes(own), ...LANGUAGE, ...REGEXES, ...SYSTEM];
}
