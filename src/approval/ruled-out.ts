import { type Position, printPosition } from "../errors.ts";
import type { CallLog } from "../journal/call-log.ts";
import { type RuleHit, ruleInWords } from "../policy/rule-hit.ts";
import type { CallIdentity, DecidedCall, GateStop } from "./gate-result.ts";
import { ASK_AGAIN, denied } from "./not-run.ts";

/** Finds the position of a rule that denied a call; null if it is not in a config. */
export type FindRule = (hit: RuleHit, call: CallIdentity) => Position | null;

/** The denial by the rules, and the next thing to do: the rule is named, and its position if the config has it. */
export function ruledOut(
  call: CallIdentity,
  { verdict, argsHash }: DecidedCall,
  log: CallLog,
  findRule: FindRule,
): GateStop {
  log.record({ type: "approval.auto", argsHash, approved: false, by: verdict.reason });
  const hit = verdict.hits.find(({ action }) => action === "deny");
  const code = hit?.layer === "mode" ? "APPROVAL_DENIED" : "APPROVAL_BLOCKED";
  const hint = hit === undefined ? REMEDIES.tool : remedyFor(hit, findRule(hit, call));
  return denied(code, verdict.reason, hint);
}

function remedyFor(hit: RuleHit, at: Position | null): string {
  if (hit.layer === "project" || hit.layer === "agent" || at !== null)
    return `no approval can allow it; change ${ruleInWords(hit)}${at === null ? "" : ` (${printPosition(at)})`}`;
  return REMEDIES[hit.layer];
}

/** The next thing to do, by the layer that decided, if its rule has no position. */
const REMEDIES: Readonly<Record<Exclude<RuleHit["layer"], "project" | "agent">, string>> = {
  operator: "only the author of the operator profile can allow it",
  tool: "no approval can allow it; change the rule in the config or the profile",
  risk: "add a rule to the config that allows it",
  mode: "use `mode: interactive` without `--strict` or `--approve-all`, or allow it in the config without approval",
  grant: ASK_AGAIN,
  caller: ASK_AGAIN,
};
