import type { RulePlan } from "../backend/plan.ts";
import { CALL_NAMES, CALL_PARAMETERS } from "../backend/seatbelt/gate.ts";
import type { Ink } from "../channel/ink.ts";
import { escapeInvisible } from "../errors.ts";
import type { StatedMac } from "../host/mac/stated.ts";

/**
 * A plan of rules as a file that the launcher takes: what it must be told of a call in comments, and the text. Comments are
 * set apart on a terminal.
 */
export function ruleLines(plan: RulePlan, ink: Ink): readonly string[] {
  const text = plan.rules.text.trimEnd().split("\n");
  return [
    ...commented([...parameterLines(plan), ...portLines(plan)], ink),
    "",
    ...text.map((line) => (line.startsWith(";") ? ink.dim(line) : line)),
  ];
}

/** What is stated of the Mac that the rules are those of, as comments. */
export function statedLines({ release, arch, home, brew, twins }: StatedMac, ink: Ink): readonly string[] {
  const homes = new Set(twins.filter((twin) => twin.there === home).map((twin) => twin.here));
  return commented(
    [
      `stated: macOS ${release}, ${arch}, the home folder ${home}, a volume that folds case,`,
      `the command line tools, Homebrew in ${brew}; nothing of it was looked up`,
      ...[...homes].map((one) => `this machine's ${one} stands for ${home}`),
    ],
    ink,
  );
}

/** How many rules there are, and how long their text is. */
export function ruleSize({ rules: { text } }: Pick<RulePlan, "rules">): {
  readonly rules: number;
  readonly bytes: number;
} {
  return { rules: text.match(RULE)?.length ?? 0, bytes: text.length };
}

/** A rule begins a line, or stands behind the question whether the system knows its operation. */
const RULE = /^(?:\(if \(defined\? '[^)]*\) )?\((?:allow|deny) /gm;

/** What the launcher is told of each call: the parameters that the text names. */
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

/** Nothing listens for what is only shown. */
function portLines({ proxy }: Pick<RulePlan, "proxy">): readonly string[] {
  return proxy === null
    ? []
    : [`port ${proxy.port} stands for the egress proxy's, which each supervisor finds for itself`];
}

function commented(lines: readonly string[], ink: Ink): readonly string[] {
  return lines.map((line) => ink.dim(escapeInvisible(`; ${line}`)));
}
