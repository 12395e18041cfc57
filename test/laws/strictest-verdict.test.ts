import fc from "fast-check";
import { expect } from "vitest";
import { Action, isAsStrict } from "../../src/policy/action.ts";
import type { RuleHit } from "../../src/policy/rule-hit.ts";
import { strictestVerdict } from "../../src/policy/strictest-verdict.ts";
import { hasApproval, type Verdict } from "../../src/policy/verdict.ts";
import { law } from "./law.ts";

type Meet = typeof strictestVerdict;

const LAYERS: readonly RuleHit["layer"][] = [
  "operator",
  "project",
  "agent",
  "tool",
  "risk",
  "grant",
  "mode",
  "caller",
];

const hit: fc.Arbitrary<RuleHit> = fc.record({
  layer: fc.constantFrom(...LAYERS),
  rule: fc.constantFrom("echo", "rm"),
  action: fc.constantFrom(...Action.options),
  reason: fc.constant(null),
});

const verdict: fc.Arbitrary<Verdict> = fc.record({
  action: fc.constantFrom(...Action.options),
  demandsPerson: fc.boolean(),
  hits: fc.array(hit, { maxLength: 4 }),
  reason: fc.constantFrom("one", "other"),
});

law(
  "the strictest of two verdicts is never looser than either, and gets an approved call's access only from both",
  (meet: Meet) =>
    fc.property(verdict, verdict, (a, b) => {
      const met = meet(a, b);
      for (const one of [a, b]) {
        expect(isAsStrict(met.action, one.action)).toBe(true);
        expect(hasApproval(met) && !hasApproval(one)).toBe(false);
        expect(met.action === "ask" && one.demandsPerson && !met.demandsPerson).toBe(false);
      }
      expect([a.action, b.action]).toContain(met.action);
      expect(meet(b, a)).toMatchObject({ action: met.action, demandsPerson: met.demandsPerson });
      expect(hasApproval(meet(b, a))).toBe(hasApproval(met));
    }),
  strictestVerdict,
  {
    "takes the first": (a) => a,
    "takes the looser": (a, b) => (isAsStrict(a.action, b.action) ? b : a),
    "keeps an approval of only one": (a, b) => ({ ...strictestVerdict(a, b), hits: [...a.hits, ...b.hits] }),
    "forgets that one demands a person": (a, b) => ({
      ...strictestVerdict(a, b),
      demandsPerson: a.demandsPerson,
    }),
  },
);

const remembered = fc.constantFrom<NonNullable<Verdict["remembered"]>>(
  { of: "session", id: "grant", by: "ann" },
  { of: "project", id: "rule", by: "ann" },
);
const answered: fc.Arbitrary<Verdict> = fc.oneof(
  verdict,
  fc
    .tuple(verdict, remembered)
    .map(([one, used]): Verdict => ({ ...one, action: "allow", remembered: used })),
);

law(
  "a call that a grant of the session allowed by either verdict uses the grant up, and one that asks uses none",
  (meet: Meet) =>
    fc.property(answered, answered, (a, b) => {
      const met = meet(a, b);
      const ofSession = [a, b].some((one) => one.remembered?.of === "session");
      if (met.action === "allow" && ofSession) expect(met.remembered).toMatchObject({ of: "session" });
      if (met.action === "ask") expect(met.remembered).toBeUndefined();
      if (a.remembered === undefined && b.remembered === undefined) expect(met.remembered).toBeUndefined();
    }),
  strictestVerdict,
  {
    "counts only what the decisive one used": (a, b) => {
      const { remembered: _, ...met } = strictestVerdict(a, b);
      const { remembered: used } = isAsStrict(a.action, b.action) ? a : b;
      return used === undefined ? met : { ...met, remembered: used };
    },
    "counts what a call uses that is asked about": (a, b) => {
      const used = a.remembered ?? b.remembered;
      const met = strictestVerdict(a, b);
      return used === undefined ? met : { ...met, remembered: used };
    },
  },
);
