import type { RulePlan } from "../backend/plan.ts";
import { CALL_NAMES, CALL_PARAMETERS } from "../backend/seatbelt/start-program.ts";
import type { Ink } from "../channel/ink.ts";
import { escapeInvisible } from "../errors.ts";
import type { SimulatedMac } from "../host/look/mac/simulated.ts";

/** A plan of rules as a file for the launcher, with the parameters of a call in comments. */
export function ruleLines(plan: RulePlan, ink: Ink): readonly string[] {
  const text = plan.rules.text.trimEnd().split("\n");
  return [
    ...commented([...parameterLines(plan), ...portLines(plan)], ink),
    "",
    ...text.map((line) => (line.startsWith(";") ? ink.dim(line) : line)),
  ];
}

/** The assumed properties of the Mac that the rules are for, as comments. */
export function macLines({ release, arch, home, brew, mappings }: SimulatedMac, ink: Ink): readonly string[] {
  const homes = new Set(mappings.filter((mapping) => mapping.there === home).map((mapping) => mapping.here));
  return commented(
    [
      `assumed: macOS ${release}, ${arch}, the home folder ${home}, a case-insensitive volume,`,
      `the command line tools, Homebrew in ${brew}; nothing was looked up`,
      ...[...homes].map((one) => `this machine's ${one} stands for ${home}`),
    ],
    ink,
  );
}

/** The number of rules, and the size of their text. */
export function ruleSize({ rules: { text } }: Pick<RulePlan, "rules">): {
  readonly rules: number;
  readonly bytes: number;
} {
  return { rules: text.match(RULE)?.length ?? 0, bytes: text.length };
}

/** A rule starts a line, or follows the check whether the system knows its operation. */
const RULE = /^(?:\(if \(defined\? '[^)]*\) )?\((?:allow|deny) /gm;

/** The launcher's parameters for each call, as the text names them. */
function parameterLines({ rules: { text, parameters } }: RulePlan): readonly string[] {
  const { folder, home, temporary, given } = CALL_PARAMETERS;
  const ofCall = [
    [folder, ""],
    [home, `/${CALL_NAMES.home}`],
    [temporary, `/${CALL_NAMES.temporary}`],
    [given, `/${CALL_NAMES.given}`],
  ].filter(([name]) => text.includes(`(param "${name}")`));
  return [
    ...ofCall.map(([name, place]) => `-D ${name}=<the call's own folder>${place}`),
    ...Object.entries(parameters).map(([name, value]) => `-D ${name}=${value}`),
  ];
}

/** A plan that is only shown has no listener. */
function portLines({ proxy }: Pick<RulePlan, "proxy">): readonly string[] {
  return proxy === null
    ? []
    : [`port ${proxy.port} stands for the egress proxy's, which each supervisor finds for itself`];
}

function commented(lines: readonly string[], ink: Ink): readonly string[] {
  return lines.map((line) => ink.dim(escapeInvisible(`; ${line}`)));
}
