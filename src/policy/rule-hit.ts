import { z } from "zod";
import { type Position, printPosition, visible } from "../errors.ts";
import { Action } from "./action.ts";
import { DENIALS, type DeniedBy } from "./denied-by.ts";

/** One rule that spoke about a call, its layer, and its action. */
export const RuleHit = z
  .strictObject({
    layer: z
      .enum(["operator", "project", "agent", "tool", "risk", "kept", "grant", "mode", "caller", "budget"])
      .describe("the place of the rule"),
    rule: z.string().describe("the rule"),
    action: Action.describe("its action"),
    reason: z.string().nullable().describe("its reason, if it has one"),
  })
  .readonly();
export type RuleHit = z.infer<typeof RuleHit>;

/** The places of rules, in words; a tool's own layer has written rules only for the shell. */
const PLACES = {
  operator: "an operator profile",
  project: "the config",
  agent: "the agent's rules in the config",
  tool: "`shell.rules`",
  risk: "`approval.risk_defaults`",
  kept: "a kept rule of the project",
  grant: "a remembered answer",
  mode: "`approval.mode`",
  caller: "the caller",
  budget: "`approval.budget`",
} as const satisfies Record<RuleHit["layer"], string>;

/** The names of the verdicts on commands that no rule of the config writes. */
const CHECKS = new Set(["script", "unread", "unsettled", "hazard", "unasked", "builtin"]);

/** A rule without a reason of its own: ``rule `rm` of `shell.rules` ``. */
export function ruleInWords({ layer, rule }: Pick<RuleHit, "layer" | "rule">): string {
  return `rule ${visible(rule)} of ${PLACES[layer]}`;
}

/** The kind of a denial by a hit, and its remedy: the rule to change, with its position if a config has it. */
export function denialByRule(
  hit: RuleHit | undefined,
  tool: string,
  at: Position | null,
): { readonly by: DeniedBy; readonly hint: string } {
  const by = deniedByHit(hit, tool);
  const isWritten = hit !== undefined && (hit.layer === "project" || hit.layer === "agent" || at !== null);
  if (!isWritten) return { by, hint: DENIALS[by].hint };
  const hint = `no approval can allow it; change ${ruleInWords(hit)}${at === null ? "" : ` (${printPosition(at)})`}`;
  return { by, hint };
}

function deniedByHit(hit: RuleHit | undefined, tool: string): DeniedBy {
  switch (hit?.layer) {
    case "operator":
    case "risk":
    case "mode":
      return hit.layer;
    case "grant":
      return "remembered";
    case "tool":
      return tool === "shell" ? "rule" : "tool";
    default:
      return "rule";
  }
}

/** The place of a rule that applied to a call of this tool. */
export function placeOfRule({ layer, rule }: Pick<RuleHit, "layer" | "rule">, tool: string): string {
  if (layer !== "tool") return PLACES[layer];
  if (tool !== "shell") return "the tool itself";
  return rule === "default" ? "`shell.default`" : CHECKS.has(rule) ? "the check of commands" : PLACES.tool;
}

/** A hit for people: ``ask by rule `rm` of `shell.rules` ``, or just the place of a check without written rules. */
export function hitInWords(hit: RuleHit, tool: string): string {
  return `${hit.action} by ${isWrittenRule(hit, tool) ? ruleInWords(hit) : placeOfRule(hit, tool)}`;
}

/** True for a rule that somebody wrote; false for a check, a default, and a remembered answer. */
export function isWrittenRule(hit: Pick<RuleHit, "layer" | "rule">, tool: string): boolean {
  return ["operator", "project", "agent"].includes(hit.layer) || placeOfRule(hit, tool) === PLACES.tool;
}

/**
 * A tool's own verdict: its strictest rule that spoke, and the others. `doubt`: it may hold a denied part. `ruled`: a
 * written rule asks about this very command, which a general rule on the tool does not silence.
 */
export interface ToolSaid {
  readonly hit: RuleHit;
  readonly others?: readonly RuleHit[];
  readonly doubt: RuleHit | null;
  readonly ruled?: RuleHit | null;
}
