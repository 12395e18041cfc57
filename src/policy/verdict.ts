import { visible } from "../errors.ts";
import { type Action, type Mode, strictest } from "./action.ts";
import type { ApprovalSection, OperatorApproval } from "./approval-section.ts";
import type { CommandLine } from "./command.ts";
import type { CallGrant, CoverGrant } from "./grant.ts";
import { operatorHits } from "./operator-hits.ts";
import { type Risk, riskAction } from "./risk.ts";
import { type RuleHit, ruleInWords, type ToolSaid } from "./rule-hit.ts";
import { areAnyArguments } from "./rule-reach.ts";
import { type Invocation, pickRule, type RuleLayer, type ToolRule } from "./tool-rule.ts";

/** One call, with the facts for judging it. */
export interface JudgedCall extends Invocation {
  readonly risk: Risk | null;
  /** Null for a tool without its own verdict. */
  readonly said: ToolSaid | null;
  /** The command line of the shell tool; null for any other tool. */
  readonly line: CommandLine | null;
  /** Why the call's own target needs an approval; null if it needs none. */
  readonly needsMore: string | null;
}

/** Whether a call may run. `demandsPerson`: neither a grant nor a mode nor the caller's own typing answers this ask. */
export interface Verdict {
  readonly action: Action;
  readonly demandsPerson: boolean;
  readonly hits: readonly RuleHit[];
  /** The words of the rule that decided. */
  readonly reason: string;
  /** The remembered answer that decided, and its author. A use of an approval is counted before the call runs. */
  readonly remembered?: { readonly of: "session" | "project"; readonly id: string; readonly by: string };
}

/** The rules in force. */
export interface Rules {
  readonly operator: OperatorApproval;
  readonly approval: ApprovalSection;
  /** Further lists of the project's rules, such as those on one server's tools: each is a separate layer. */
  readonly further?: readonly RuleLayer[];
}

/**
 * The verdict on one call, with every rule that spoke. In order:
 * 1. each layer picks its rule: the project and the agent by their order, operators every rule that is about the call;
 * 2. a deny of any layer, or of the tool itself, denies, and so does the default for a risk if neither a layer nor the
 *    tool has a verdict: in every mode, despite any grant, and even if an operator's rule asks;
 * 3. an ask of an operator, or of a picked rule with `remember: false`, requires a person;
 * 4. the strictest of the picked rules allows or asks; a rule of `shell.rules` that asks about the command also asks if
 *    a rule allows the tool with any arguments;
 * 5. if no rule is about the call, the tool's own verdict counts;
 * 6. if the tool has none, the default for its risk;
 * 7. an allow of a call that may contain something the tool denies becomes an ask;
 * 8. an allow whose own target needs more access than it has without approval becomes an ask.
 * Adding a stricter rule never loosens, if the order of its layer is `strictest`; only a later rule of the same layer
 * can lift a deny, by that layer's order.
 */
export function judge(subject: JudgedCall, rules: Rules): Verdict {
  const operator = operatorHits(subject, rules.operator);
  const picked = pickedHits(subject, rules);
  const spoken = [...picked.map(({ hit }) => hit), ...saidHits(subject)];
  const unspoken = riskHit(subject, rules.approval);
  const hits = [...operator, ...spoken, ...(spoken.length === 0 ? [unspoken] : [])];
  const denying = hits.find((hit) => hit.action === "deny");
  if (denying !== undefined) return verdict("deny", false, hits, denying);
  const demanding =
    operator.find((hit) => hit.action === "ask") ?? picked.find(({ demandsPerson }) => demandsPerson)?.hit;
  if (demanding !== undefined) return verdict("ask", true, hits, demanding);
  const ofRules = strictest(picked.map(({ hit }) => hit));
  const isGeneral = picked.every(({ rule }) => areAnyArguments(rule.args));
  const ruled = ofRules?.action === "allow" && isGeneral ? subject.said?.ruled : null;
  return tightened(subject, hits, ruled ?? ofRules ?? subject.said?.hit ?? unspoken);
}

/** True if a rule allows the tool with any arguments, so that no person is asked by default. */
export function allowsWholeTool(subject: Invocation, rules: Pick<Rules, "approval" | "further">): boolean {
  const picked = pickedHits(subject, rules);
  return (
    picked.length > 0 && picked.every(({ hit, rule }) => hit.action === "allow" && areAnyArguments(rule.args))
  );
}

/** The verdict after a grant: an allow with an approved call's access. Lifts no deny, replaces no required person. */
export function answerByGrant(given: Verdict, grant: CallGrant | CoverGrant | null): Verdict {
  if (grant === null || given.action === "deny" || given.demandsPerson) return given;
  return answered(given, "allow", {
    layer: "grant",
    rule: grant.covers,
    action: "allow",
    reason: `approved for this session by ${grant.by}`,
  });
}

/**
 * The verdict after a mode, or after a person typed the command. `interactive` leaves an ask to a person; `strict`
 * denies it; `approve_all` and the caller's own typing allow it, unless a person is required: then one is asked. A typed
 * command runs with the access of an approved call, even if a rule would have allowed it.
 */
export function answerByMode(given: Verdict, mode: Mode, isCallersOwn: boolean): Verdict {
  if (given.action === "deny") return given;
  const byMode = (action: Action, reason: string): Verdict =>
    answered(given, action, { layer: "mode", rule: mode, action, reason });
  const byCaller = (reason: string): Verdict =>
    answered(given, "allow", { layer: "caller", rule: "typed", action: "allow", reason });
  if (given.action === "allow") return isCallersOwn && mode !== "strict" ? byCaller(given.reason) : given;
  if (mode === "strict") return byMode("deny", "strict mode: approval required");
  if (given.demandsPerson) return given;
  if (mode === "approve_all") return byMode("allow", "approve-all mode");
  return isCallersOwn ? byCaller("the caller typed it") : given;
}

/** True if the call gets the access of an approved one: a person, a grant or a mode allowed it, not a rule. */
export function hasApproval({ hits }: Verdict): boolean {
  return hits.some(
    ({ layer, action }) =>
      action === "allow" && (layer === "mode" || layer === "caller" || layer === "grant"),
  );
}

function answered(given: Verdict, action: Action, hit: RuleHit): Verdict {
  const reason = hit.reason ?? given.reason;
  return {
    ...given,
    action,
    hits: [...given.hits, hit],
    reason: action === "deny" ? `${reason} (${given.reason})` : reason,
  };
}

function saidHits({ said }: JudgedCall): readonly RuleHit[] {
  return said === null ? [] : [said.hit, ...(said.others ?? [])];
}

/** An allow stays one only if nothing else speaks against it. */
function tightened({ said, needsMore }: JudgedCall, hits: readonly RuleHit[], decisive: RuleHit): Verdict {
  if (decisive.action !== "allow") return verdict(decisive.action, false, hits, decisive);
  const doubt = said?.doubt ?? null;
  if (doubt !== null) return verdict("ask", false, hits.includes(doubt) ? hits : [...hits, doubt], doubt);
  if (needsMore === null) return verdict("allow", false, hits, decisive);
  const more: RuleHit = { layer: "tool", rule: "unasked", action: "ask", reason: needsMore };
  return verdict("ask", false, [...hits, more], more);
}

function verdict(action: Action, demandsPerson: boolean, hits: readonly RuleHit[], by: RuleHit): Verdict {
  return { action, demandsPerson, hits, reason: by.reason ?? ruleInWords(by) };
}

interface Picked {
  readonly rule: ToolRule;
  readonly hit: RuleHit;
  readonly demandsPerson: boolean;
}

/** The rules picked by the project, by the agent's own layer, and by further layers. */
function pickedHits(
  subject: Invocation,
  { approval, further = [] }: Pick<Rules, "approval" | "further">,
): readonly Picked[] {
  const { rules, order, agents } = approval;
  const { agent } = subject;
  const own = agent === null || !Object.hasOwn(agents, agent) ? undefined : agents[agent];
  const project = pickRule(rules, order, subject);
  const ofAgent = own === undefined ? undefined : pickRule(own.rules, own.order, subject);
  const others = further.map((layer) => pickRule(layer.rules, layer.order, subject));
  return [
    ...(project === undefined ? [] : [pickedHit("project", project)]),
    ...(ofAgent === undefined ? [] : [pickedHit("agent", ofAgent)]),
    ...others.flatMap((rule) => (rule === undefined ? [] : [pickedHit("project", rule)])),
  ];
}

function pickedHit(layer: "project" | "agent", rule: ToolRule): Picked {
  const { pattern, action, reason, remember } = rule;
  return {
    rule,
    hit: { layer, rule: pattern, action, reason: reason ?? null },
    demandsPerson: remember === false,
  };
}

function riskHit({ risk, tool }: JudgedCall, { risk_defaults: defaults }: ApprovalSection): RuleHit {
  const action = riskAction(defaults, risk);
  const reason = `no rule covers ${visible(tool)}, and its risk is ${risk ?? "unknown"}`;
  return { layer: "risk", rule: risk ?? "unknown", action, reason };
}
