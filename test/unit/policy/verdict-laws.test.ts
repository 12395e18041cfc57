import fc from "fast-check";
import { expect } from "vitest";
import { isAsStrict, strictest } from "../../../src/policy/action.ts";
import { NO_OPERATOR, type OperatorRule } from "../../../src/policy/approval-section.ts";
import { riskAction } from "../../../src/policy/risk.ts";
import { coversInvocation, pickRule, type ToolRule } from "../../../src/policy/tool-rule.ts";
import { answerByGrant, answerByMode, judge, type Rules, type Verdict } from "../../../src/policy/verdict.ts";
import { law } from "../../laws/law.ts";
import {
  type Case,
  DECIDING,
  type Deciding,
  decided,
  judged,
  operatorRule,
  plainRule,
  policyCase,
  strictness,
  subjectOf,
  toolRule,
} from "../../support/approval/generate-policy.ts";
import { reordered } from "../../support/generate-json.ts";

const to = (given: Verdict, action: Verdict["action"]): Verdict => ({ ...given, action });
const withProject = (given: Case, rules: readonly ToolRule[]): Case => ({
  ...given,
  rules: { ...given.rules, approval: { ...given.rules.approval, rules: [...rules] } },
});
const withOperator = (given: Case, rules: readonly OperatorRule[]): Case => ({
  ...given,
  rules: { ...given.rules, operator: { ...given.rules.operator, rules } },
});

/** The operator's rules that are about the case. */
const operatorsOf = (given: Case): readonly OperatorRule[] =>
  given.rules.operator.rules.filter((rule) => "pattern" in rule && coversInvocation(rule, subjectOf(given)));

/** The rules that the project and the agent's own layer pick. */
function pickedOf(given: Case): readonly ToolRule[] {
  const { rules, order, agents } = given.rules.approval;
  const own = given.agent === null ? undefined : agents[given.agent];
  const layers = [{ rules, order }, ...(own === undefined ? [] : [own])];
  return layers.flatMap((layer) => pickRule(layer.rules, layer.order, subjectOf(given)) ?? []);
}

/** Where neither a layer nor the tool speaks, the default for the risk does. */
const isUnspoken = (given: Case): boolean => given.said === null && pickedOf(given).length === 0;
const byRisk = ({ rules, risk }: Case) => riskAction(rules.approval.risk_defaults, risk);

const isDenied = (given: Case): boolean =>
  [...operatorsOf(given), ...pickedOf(given)].some(({ action }) => action === "deny") ||
  (isUnspoken(given) ? byRisk(given) : given.said?.hit.action) === "deny";

/** Rules as a mutant judges by them. */
const judging = (change: (rules: Rules) => Rules): Partial<Deciding> => ({
  judge: (subject, rules) => judge(subject, change(rules)),
});
const mutant = (change: Partial<Deciding>): Deciding => ({ ...DECIDING, ...change });

law<Deciding, [Case]>(
  "a deny of any layer, or of the tool itself, is final: under every mode, grant and caller (S0-D2, S1-12, C4, C14)",
  (by) =>
    fc.property(policyCase, (given) => {
      fc.pre(isDenied(given));
      expect(decided(by, given).action).toBe("deny");
    }),
  DECIDING,
  {
    "lets a grant lift it": mutant({
      answerByGrant: (given, grant) => (grant === null ? given : to(given, "allow")),
    }),
    "lets approve_all lift it": mutant({
      answerByMode: (given, mode, own) =>
        mode === "approve_all" ? to(given, "allow") : answerByMode(given, mode, own),
    }),
    "lets the caller lift it": mutant({
      answerByMode: (given, mode, own) =>
        own && mode !== "strict" ? to(given, "allow") : answerByMode(given, mode, own),
    }),
    "does not hear operators": mutant(judging((rules) => ({ ...rules, operator: NO_OPERATOR }))),
    "does not hear the agent's own layer": mutant(
      judging((rules) => ({ ...rules, approval: { ...rules.approval, agents: {} } })),
    ),
    "lets a rule overrule what the tool blocks": mutant({
      judge: (subject, rules) =>
        judge({ ...subject, said: subject.said?.hit.action === "deny" ? null : subject.said }, rules),
    }),
  },
);

law<Deciding, [Case, OperatorRule, number]>(
  "a rule more of an operator never loosens (C5)",
  (by) =>
    fc.property(policyCase, operatorRule, fc.nat({ max: 2 }), (given, added, at) => {
      const more = withOperator(given, given.rules.operator.rules.toSpliced(at, 0, added));
      expect(strictness(judged(by, more))).toBeGreaterThanOrEqual(strictness(judged(by, given)));
      expect(strictness(decided(by, more))).toBeGreaterThanOrEqual(strictness(decided(by, given)));
    }),
  DECIDING,
  {
    "hears the last of an operator's rules alone": mutant({
      judge: (subject, rules) => {
        const last = rules.operator.rules.findLast(
          (rule) => "pattern" in rule && coversInvocation(rule, subject),
        );
        const operator = { ...rules.operator, rules: last === undefined ? [] : [last] };
        return judge(subject, { ...rules, operator });
      },
    }),
    "takes an operator's ask for one like any other": mutant({
      judge: (subject, rules) => {
        const verdict = judge(subject, rules);
        const isAllowed = verdict.hits.some(({ action }) => action === "allow");
        return verdict.demandsPerson && isAllowed ? to(verdict, "allow") : verdict;
      },
    }),
  },
);

/** What a rule at the front of a layer does where the first of the strictest is picked, whether it demands a person or not. */
const firstOfStrictest: Deciding["judge"] = (subject, rules) => {
  const { approval } = rules;
  if (approval.order !== "strictest") return judge(subject, rules);
  const covering = approval.rules.filter((rule) => coversInvocation(rule, subject));
  const first = strictest(covering);
  return judge(subject, {
    ...rules,
    approval: { ...approval, rules: first === undefined ? [] : [first] },
  });
};

law<Deciding, [Case, ToolRule, number]>(
  "a rule more in a `strictest` layer never loosens, where it is as strict as the verdict or the layer spoke already (C5)",
  (by) =>
    fc.property(policyCase, fc.oneof(toolRule, plainRule), fc.nat({ max: 2 }), (drawn, added, at) => {
      const { approval } = drawn.rules;
      const given: Case = {
        ...drawn,
        rules: { ...drawn.rules, approval: { ...approval, order: "strictest" } },
      };
      const before = judged(by, given);
      const spoke = approval.rules.some((rule) => coversInvocation(rule, subjectOf(given)));
      fc.pre(spoke || isAsStrict(added.action, before.action));
      const more = withProject(given, approval.rules.toSpliced(at, 0, added));
      expect(strictness(judged(by, more))).toBeGreaterThanOrEqual(strictness(before));
      expect(strictness(decided(by, more))).toBeGreaterThanOrEqual(strictness(decided(by, given)));
    }),
  DECIDING,
  {
    "lets the last that matches decide": mutant(
      judging((rules) => ({ ...rules, approval: { ...rules.approval, order: "last-match" } })),
    ),
    "lets the first that matches decide": mutant(
      judging((rules) => ({ ...rules, approval: { ...rules.approval, order: "first-match" } })),
    ),
    "forgets which of two asks demands a person": mutant({ judge: firstOfStrictest }),
  },
);

law<Deciding, [Case]>(
  "an operator's ask, and one that may not be remembered, is answered by no grant, no mode and no caller (S0-4, C4)",
  (by) =>
    fc.property(policyCase, (given) => {
      const demands =
        operatorsOf(given).some(({ action }) => action === "ask") ||
        pickedOf(given).some(({ remember }) => remember === false);
      fc.pre(demands && !isDenied(given));
      expect(decided(by, given).action).toBe(given.mode === "strict" ? "deny" : "ask");
    }),
  DECIDING,
  {
    "lets a grant answer": mutant({
      answerByGrant: (given, grant) => answerByGrant({ ...given, demandsPerson: false }, grant),
    }),
    "lets approve_all answer": mutant({
      answerByMode: (given, mode, own) =>
        mode === "approve_all" && given.action === "ask"
          ? to(given, "allow")
          : answerByMode(given, mode, own),
    }),
    "lets the caller answer": mutant({
      answerByMode: (given, mode, own) => answerByMode({ ...given, demandsPerson: false }, mode, own),
    }),
    "takes `remember: false` for a wish": mutant(
      judging((rules) => ({
        ...rules,
        approval: {
          ...rules.approval,
          rules: rules.approval.rules.map((rule) => ({ ...rule, remember: true })),
        },
      })),
    ),
  },
);

law<Deciding, [Case]>(
  "strict never allows what was an ask, and approve_all asks only where a person is demanded (S0-12, S1-12, S1-32, C14)",
  (by) =>
    fc.property(policyCase, (given) => {
      const before = by.answerByGrant(judged(by, given), null);
      const inMode = (mode: Case["mode"]) => by.answerByMode(before, mode, given.isCallersOwn).action;
      expect(inMode("strict")).toBe(before.action === "allow" ? "allow" : "deny");
      const byAll = before.demandsPerson ? before.action : "allow";
      expect(inMode("approve_all")).toBe(before.action === "deny" ? "deny" : byAll);
    }),
  DECIDING,
  {
    "lets a caller's typing count in strict": mutant({
      answerByMode: (given, mode, own) => answerByMode(given, own ? "interactive" : mode, own),
    }),
    "is interactive in every mode": mutant({
      answerByMode: (given) => answerByMode(given, "interactive", false),
    }),
  },
);

law<Deciding, [Case]>(
  "without any rule the tool's word counts, and without that the default for its risk, an unknown one asked about (S0-11, S1-2)",
  (by) =>
    fc.property(policyCase, (given) => {
      fc.pre(operatorsOf(given).length + pickedOf(given).length === 0);
      const { said, needsMore } = given;
      const word = said?.hit.action ?? byRisk(given);
      const isTightened = word === "allow" && (needsMore !== null || (said?.doubt ?? null) !== null);
      expect(judged(by, given)).toMatchObject({
        action: isTightened ? "ask" : word,
        demandsPerson: false,
      });
    }),
  DECIDING,
  {
    "takes the tool's silence for a yes": mutant({
      judge: (subject, rules) => {
        const verdict = judge(subject, rules);
        return subject.said === null && verdict.action === "ask" ? to(verdict, "allow") : verdict;
      },
    }),
    "asks a tool of unknown risk nothing": mutant({
      judge: (subject, rules) => judge({ ...subject, risk: subject.risk ?? "read_only" }, rules),
    }),
    "hears the risk before the tool": mutant({
      judge: (subject, rules) => judge({ ...subject, said: null }, rules),
    }),
    "overlooks what the call's target needs": mutant({
      judge: (subject, rules) => judge({ ...subject, needsMore: null }, rules),
    }),
    "overlooks the tool's doubt": mutant({
      judge: (subject, rules) => {
        const { said } = subject;
        return judge({ ...subject, said: said === null ? null : { ...said, doubt: null } }, rules);
      },
    }),
  },
);

/** What each rule that is about the case would say, in the order of the layers. */
function speakers(given: Case): readonly string[] {
  return [
    ...operatorsOf(given).map(
      (rule) => `operator ${"pattern" in rule ? rule.pattern : rule.shell} ${rule.action}`,
    ),
    ...pickedOf(given).map((rule) => `${rule.pattern} ${rule.action}`),
    ...(given.said === null ? [] : [`tool ${given.said.hit.rule} ${given.said.hit.action}`]),
    ...(isUnspoken(given) ? [`risk ${given.risk ?? "unknown"} ${byRisk(given)}`] : []),
  ];
}

law<Deciding, [Case]>(
  "every rule that spoke is told, and one of them decided",
  (by) =>
    fc.property(policyCase, (given) => {
      const { hits, action } = decided(by, given);
      const told = hits.map((hit) => {
        const isPicked = hit.layer === "project" || hit.layer === "agent";
        return `${isPicked ? "" : `${hit.layer} `}${hit.rule} ${hit.action}`;
      });
      expect(told.slice(0, speakers(given).length)).toEqual(speakers(given));
      expect(hits.some((hit) => hit.action === action)).toBe(true);
    }),
  DECIDING,
  {
    "tells the one that decided": mutant({
      judge: (subject, rules) => {
        const verdict = judge(subject, rules);
        return { ...verdict, hits: verdict.hits.filter((hit) => hit.action === verdict.action).slice(0, 1) };
      },
    }),
    "allows without a word": mutant({
      answerByGrant: (given, grant) =>
        grant === null || given.action === "deny" || given.demandsPerson ? given : to(given, "allow"),
    }),
  },
);

law<Deciding, [Case]>(
  "rules of an agent speak for that agent alone (S0-13)",
  (by) =>
    fc.property(policyCase, (given) => {
      const { approval } = given.rules;
      const { agent } = given;
      const agents = Object.fromEntries(Object.entries(approval.agents).filter(([name]) => name === agent));
      const rules = approval.rules.filter(
        (rule) =>
          rule.agents === undefined ||
          (agent !== null &&
            rule.agents.some((glob) => glob === agent || (glob === "b*" && agent === "bob"))),
      );
      const alone = { ...given, rules: { ...given.rules, approval: { ...approval, agents, rules } } };
      expect(judged(by, given)).toEqual(judged(DECIDING, alone));
    }),
  DECIDING,
  {
    "takes every call for one agent's": mutant({
      judge: (subject, rules) => judge({ ...subject, agent: "ann" }, rules),
    }),
    "lets a rule for some agents speak for nobody's call": mutant({
      judge: (subject, rules) =>
        subject.agent === null
          ? judge(subject, {
              ...rules,
              approval: {
                ...rules.approval,
                rules: rules.approval.rules.map((rule) => ({ ...rule, agents: undefined })),
              },
            })
          : judge(subject, rules),
    }),
  },
);

law<Deciding, [Case]>(
  "the order in which an input's keys come never matters (S1-29)",
  (by) =>
    fc.property(policyCase, (given) => {
      expect(decided(by, { ...given, input: reordered(given.input) })).toEqual(decided(by, given));
    }),
  DECIDING,
  {
    "holds rules against the input as it was written": mutant({
      judge: (subject, rules) => judge({ ...subject, text: () => JSON.stringify(subject.input) }, rules),
    }),
  },
);
