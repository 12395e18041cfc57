import { LANGUAGE, REGEXES } from "./language.ts";
import { NAMES } from "./names.ts";
import { networkProbes } from "./network.ts";
import type { KernelProbe } from "./probe.ts";
import { RULES } from "./rules.ts";
import { SPELLING } from "./spelling.ts";
import { SYSTEM } from "./system.ts";

/** Every probe, in the order of the report. `own`: an address of this machine in its network, or null. */
export function probesFor(own: string | null): readonly KernelProbe[] {
  return [...RULES, ...SPELLING, ...NAMES, ...networkProbes(own), ...LANGUAGE, ...REGEXES, ...SYSTEM];
}
