import fc from "fast-check";
import { Action, Mode, RuleOrder } from "../../../src/policy/action.ts";
import {
  type ApprovalSection,
  DEFAULT_APPROVAL,
  NO_OPERATOR,
  type OperatorRule,
} from "../../../src/policy/approval-section.ts";
import type { Json } from "../../../src/policy/canonical-json.ts";
import type { CallGrant } from "../../../src/policy/grant.ts";
import { Risk } from "../../../src/policy/risk.ts";
import type { RuleHit, ToolSaid } from "../../../src/policy/rule-hit.ts";
import { invocationOf, type ToolRule } from "../../../src/policy/tool-rule.ts";
import {
  answerByGrant,
  answerByMode,
  type JudgedCall,
  judge,
  type Rules,
  type Verdict,
} from "../../../src/policy/verdict.ts";

/** One call with everything that decides about it. */
export interface Case {
  readonly tool: string;
  readonly input: Json;
  readonly agent: string | null;
  readonly risk: Risk | null;
  readonly said: ToolSaid | null;
  readonly needsMore: string | null;
  readonly rules: Rules;
  readonly grant: CallGrant | null;
  readonly mode: Mode;
  readonly isCallersOwn: boolean;
}

/** The three functions that decide: what a mutant replaces one of. */
export interface Deciding {
  readonly judge: typeof judge;
  readonly answerByGrant: typeof answerByGrant;
  readonly answerByMode: typeof answerByMode;
}

export const DECIDING: Deciding = { judge, answerByGrant, answerByMode };

/** What is judged of a case. */
export function subjectOf({ tool, input, agent, risk, said, needsMore }: Case): JudgedCall {
  return { ...invocationOf(tool, input, agent), risk, said, line: null, needsMore };
}

/** What the rules say of a case. */
export function judged(by: Deciding, given: Case): Verdict {
  return by.judge(subjectOf(given), given.rules);
}

/** What it comes to in the end: the rules, then the grant, then the mode. */
export function decided(by: Deciding, given: Case): Verdict {
  const byRules = judged(by, given);
  return by.answerByMode(by.answerByGrant(byRules, given.grant), given.mode, given.isCallersOwn);
}

const RANK = { allow: 0, ask: 1, deny: 2 } as const;

/** How strict a verdict is: an ask that demands a person is more than one that does not. */
export function strictness({ action, demandsPerson }: Verdict): number {
  return RANK[action] + (action === "ask" && demandsPerson ? 0.5 : 0);
}

const action = fc.constantFrom(...Action.options);
const glob = fc.constantFrom(
  "*",
  "*",
  "*",
  "*",
  "get_*",
  "drop_*",
  "*_prod",
  "get_user",
  "deploy_prod",
  "shell",
);
const args = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", "*", "2*"), { minKeys: 1 }),
  fc.constantFrom("*", '*"1"*', '{"a":"1"*', '*"b":*'),
);
const agents = fc.constantFrom<string[] | undefined>(undefined, undefined, ["ann"], ["b*"], ["ann", "bob"]);

/** A rule as a config could hold it: an allow with named arguments, `remember` on an ask alone. */
export const toolRule: fc.Arbitrary<ToolRule> = fc
  .record({ pattern: glob, args, agents, action, remember: fc.boolean() })
  .map((made) => ({
    pattern: made.pattern,
    action: made.action,
    ...(made.args === undefined || (made.action === "allow" && typeof made.args === "string")
      ? {}
      : { args: made.args }),
    ...(made.agents === undefined ? {} : { agents: made.agents }),
    ...(made.action === "ask" && made.remember ? { remember: false } : {}),
  }));

/** A rule about every call. */
export const plainRule: fc.Arbitrary<ToolRule> = fc.record({ pattern: fc.constant("*"), action });

/** A rule of an operator on tools. */
export const operatorRule: fc.Arbitrary<OperatorRule> = fc
  .record({ pattern: glob, args, action: fc.constantFrom("ask", "deny") })
  .map((made) => ({
    pattern: made.pattern,
    action: made.action,
    ...(made.args === undefined ? {} : { args: made.args }),
  }));

const layer = fc.record({
  order: fc.constantFrom(...RuleOrder.options),
  rules: fc.array(toolRule, { maxLength: 4 }),
});
const section: fc.Arbitrary<ApprovalSection> = fc
  .record({
    project: layer,
    agents: fc.dictionary(fc.constantFrom("ann", "bob"), layer),
    risk_defaults: fc.record({ read_only: action, write: action, destructive: action }),
  })
  .map(({ project, ...more }) => ({ ...DEFAULT_APPROVAL, ...project, ...more }));

const hit = (rule: string, options: readonly Action[]): fc.Arbitrary<RuleHit> =>
  fc.constantFrom(...options).map((said) => ({ layer: "tool", rule, action: said, reason: null }));
const said = fc.option(
  fc.record({
    hit: hit("check", Action.options),
    doubt: fc.option(hit("unread", ["ask"]), { nil: null, freq: 2 }),
  }),
  { nil: null, freq: 2 },
);

const GRANT: CallGrant = {
  kind: "call",
  grantId: "grant-1",
  sessionId: "session-1",
  tool: "get_user",
  key: { cacheKey: "c", toolVersion: "", program: null, granted: null },
  covers: "every use of get_user",
  by: "ann",
  grantedAt: 0,
};

const input: fc.Arbitrary<Json> = fc.dictionary(
  fc.constantFrom("a", "b", "c"),
  fc.constantFrom<Json>("1", "2", "21", 1, null, { a: "1", b: ["1"] }),
);

/** Any case. Names, globs and arguments are few, so that rules meet calls often. */
export const policyCase: fc.Arbitrary<Case> = fc.record({
  tool: fc.constantFrom("get_user", "drop_table", "deploy_prod", "shell", "x"),
  input,
  agent: fc.constantFrom(null, "ann", "bob", "eve"),
  risk: fc.constantFrom(null, ...Risk.options),
  said,
  needsMore: fc.option(fc.constant("reading /w/private needs approval"), { nil: null, freq: 2 }),
  rules: fc
    .record({ operator: fc.array(operatorRule, { maxLength: 2 }), approval: section })
    .map(({ operator, approval }) => ({ operator: { ...NO_OPERATOR, rules: operator }, approval })),
  grant: fc.constantFrom(null, GRANT),
  mode: fc.constantFrom(...Mode.options),
  isCallersOwn: fc.boolean(),
});
