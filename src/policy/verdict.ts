import { visible } from "../errors.ts";
import { matchesWord } from "../shell/rule.ts";
import type { Action, ApprovalSection, Mode, OperatorApproval } from "./approval-section.ts";
import { type Judged, type RuleHit, strictest } from "./judged.ts";
import { coverageOf, isCallUnread, otherReadings } from "./reading.ts";
import { maybeHit, type ShellRules, shellSaid } from "./shell-rules.ts";

/** Whether a call may run. `demandsPerson`: neither a mode nor the caller's own typing answers this ask. */
export interface Verdict {
  readonly action: Action;
  readonly demandsPerson: boolean;
  readonly hits: readonly RuleHit[];
  /** The words of the rule that decided. */
  readonly reason: string;
}

/** The rules in force. */
export interface Rules {
  readonly operator: OperatorApproval;
  readonly approval: ApprovalSection;
  readonly shell: ShellRules;
}

/**
 * The verdict on one call, with every rule that spoke. In order:
 * 1. a deny of the operator, of the project or of the tool's own rules denies, in every mode;
 * 2. an ask of the operator demands a person;
 * 3. the project's rule for the tool, else the tool's own rules, allow or ask;
 * 4. an allow of a call that may hold what a rule of the tool denies, unseen, becomes an ask;
 * 5. an allow whose own target needs more than it gets unasked becomes an ask.
 * Adding a stricter rule never loosens; a deny is never lifted.
 */
export function judge(judged: Judged, rules: Rules): Verdict {
  const operator = operatorHits(judged, rules.operator);
  const project = projectHit(judged, rules.approval);
  const { hit: tool, doubt } = shellSaid(judged, rules.shell);
  const hits = [...operator, ...(project === null ? [] : [project]), tool];
  const denying = hits.find((hit) => hit.action === "deny");
  if (denying !== undefined) return verdict("deny", false, hits, denying);
  const demanding = operator.find((hit) => hit.action === "ask");
  if (demanding !== undefined) return verdict("ask", true, hits, demanding);
  const decisive = project ?? tool;
  if (decisive.action === "allow" && doubt !== null)
    return verdict("ask", false, hits.includes(doubt) ? hits : [...hits, doubt], doubt);
  if (decisive.action === "allow" && judged.needsMore !== null) {
    const more: RuleHit = { layer: "tool", rule: "unasked", action: "ask", reason: judged.needsMore };
    return verdict("ask", false, [...hits, more], more);
  }
  return verdict(decisive.action, false, hits, decisive);
}

/**
 * What a mode, or a person who typed the command, makes of a verdict. `interactive` leaves an ask to a person; `strict`
 * denies it; `approve_all` and the caller's own typing allow it, unless an operator demands a person. What the caller
 * typed runs with what a yes grants, also where a rule would have let it pass.
 */
export function answerByMode(given: Verdict, mode: Mode, isCallersOwn: boolean): Verdict {
  if (given.action === "deny") return given;
  const answer = (action: Action, layer: "mode" | "caller", reason: string): Verdict => {
    const hit: RuleHit = { layer, rule: layer === "mode" ? mode : "typed", action, reason };
    return {
      ...given,
      action,
      hits: [...given.hits, hit],
      reason: action === "deny" ? `${reason} (${given.reason})` : reason,
    };
  };
  if (given.action === "allow")
    return isCallersOwn && mode !== "strict" ? answer("allow", "caller", given.reason) : given;
  if (mode === "strict") return answer("deny", "mode", "strict mode: approval required");
  if (given.demandsPerson)
    return mode === "approve_all"
      ? answer("deny", "mode", "an operator demands a person for this call")
      : given;
  if (mode === "approve_all") return answer("allow", "mode", "approve-all mode");
  return isCallersOwn ? answer("allow", "caller", "the caller typed it") : given;
}

function verdict(action: Action, demandsPerson: boolean, hits: readonly RuleHit[], by: RuleHit): Verdict {
  return { action, demandsPerson, hits, reason: by.reason ?? `${by.layer} rule ${visible(by.rule)}` };
}

function operatorHits(judged: Judged, operator: OperatorApproval): readonly RuleHit[] {
  return operator.rules.flatMap((rule): readonly RuleHit[] => {
    if ("shell" in rule) return shellHits(rule.shell, rule.action, rule.reason, judged);
    return matchesWord(rule.pattern, judged.tool)
      ? [{ layer: "operator", rule: rule.pattern, action: rule.action, reason: rule.reason ?? null }]
      : [];
  });
}

/** An operator's rule covers a command however it is spelled, and everything that runs unread. */
function shellHits(
  pattern: string,
  action: Action,
  reason: string | undefined,
  judged: Judged,
): readonly RuleHit[] {
  const { tool, words } = judged;
  if (tool !== "shell") return [];
  const hit: RuleHit = { layer: "operator", rule: pattern, action, reason: reason ?? null };
  const written = { name: words?.[0] ?? "", at: 0 };
  const found =
    words === null
      ? []
      : [written, ...otherReadings(judged, words)].map((one) => coverageOf(pattern, false, one, words));
  if (found.includes("plainly") || found.includes("surely")) return [hit];
  if (isCallUnread(judged))
    return [{ ...hit, reason: reason ?? `no parser has read whether this runs ${visible(pattern)}` }];
  return found.includes("maybe") ? [maybeHit("operator", pattern, reason)] : [];
}

function projectHit(judged: Judged, { rules, order }: ApprovalSection): RuleHit | null {
  const matching = rules.filter((rule) => matchesWord(rule.pattern, judged.tool));
  const picked =
    order === "first-match" ? matching[0] : order === "last-match" ? matching.at(-1) : strictest(matching);
  return picked === undefined
    ? null
    : { layer: "project", rule: picked.pattern, action: picked.action, reason: picked.reason ?? null };
}
