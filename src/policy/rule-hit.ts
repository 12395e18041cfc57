import { z } from "zod";
import { type Position, printPosition, visible } from "../errors.ts";
import { Action } from "./action.ts";

/** One rule that spoke about a call, its layer, and its action. */
export const RuleHit = z
  .strictObject({
    layer: z
      .enum(["operator", "project", "agent", "tool", "risk", "kept", "grant", "mode", "caller"])
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
} as const satisfies Record<RuleHit["layer"], string>;

/** The names of the verdicts on commands that no rule of the config writes. */
const CHECKS = new Set(["script", "unread", "unsettled", "hazard", "unasked"]);

/** A rule without a reason of its own: ``rule `rm` of `shell.rules` ``. */
export function ruleInWords({ layer, rule }: Pick<RuleHit, "layer" | "rule">): string {
  return `rule ${visible(rule)} of ${PLACES[layer]}`;
}

/** The next thing to do about a denial: the rule to change, with its position if a config has it. */
export function remedyFor(hit: RuleHit | undefined, at: Position | null): string {
  const isWritten = hit !== undefined && (hit.layer === "project" || hit.layer === "agent" || at !== null);
  if (!isWritten) return REMEDIES[hit?.layer ?? "tool"] ?? REMEDIES.tool;
  return `no approval can allow it; change ${ruleInWords(hit)}${at === null ? "" : ` (${printPosition(at)})`}`;
}

const REMEDIES: Readonly<Partial<Record<RuleHit["layer"], string>> & { readonly tool: string }> = {
  operator: "only the author of the operator profile can allow it",
  tool: "no approval can allow it; change the rule in the config or the profile",
  risk: "add a rule to the config that allows it",
  grant: "make another call; a person can take the rejection back with `cofferdam grants revoke`",
  mode: "use `mode: interactive` without `--strict` or `--approve-all`, or allow it in the config without approval",
};

/** The place of a rule that applied to a call of this tool. */
export function placeOfRule({ layer, rule }: Pick<RuleHit, "layer" | "rule">, tool: string): string {
  if (layer !== "tool") return PLACES[layer];
  if (tool !== "shell") return "the tool itself";
  return rule === "default" ? "`shell.default`" : CHECKS.has(rule) ? "the check of commands" : PLACES.tool;
}

/** A hit for people: ``ask by rule `rm` of `shell.rules` ``, or just the place of a check without written rules. */
export function hitInWords(hit: RuleHit, tool: string): string {
  const place = placeOfRule(hit, tool);
  const isWritten = ["operator", "project", "agent"].includes(hit.layer) || place === PLACES.tool;
  return `${hit.action} by ${isWritten ? ruleInWords(hit) : place}`;
}

/** A tool's own verdict: its strictest rule that spoke, and the others. `doubt`: it may hold a denied part. */
export interface ToolSaid {
  readonly hit: RuleHit;
  readonly others?: readonly RuleHit[];
  readonly doubt: RuleHit | null;
}
