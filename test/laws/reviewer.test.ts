import fc from "fast-check";
import { expect, it } from "vitest";
import { isForReviewer, type ReviewSubject, readReview } from "../../src/approval/review.ts";
import { createGate, type GateSettings } from "../../src/entry/gate.ts";
import { defineTool } from "../../src/index.ts";
import { Action } from "../../src/policy/action.ts";
import { DEFAULT_APPROVAL, NO_OPERATOR } from "../../src/policy/approval-section.ts";
import { ReviewerSettings } from "../../src/policy/reviewer-section.ts";
import { Risk } from "../../src/policy/risk.ts";
import { coversInvocation, pickRule } from "../../src/policy/tool-rule.ts";
import { matchesWord } from "../../src/shell/rule.ts";
import { Asked } from "../support/approval/asked.ts";
import { type Case, DECIDING, decided, policyCase, subjectOf } from "../support/approval/generate-policy.ts";
import { law } from "./law.ts";

const DIGEST = "0123456789abcdef".repeat(4);

/** An answer of any kind: right, nearly right, and anything. */
const answer = (digest: string): fc.Arbitrary<unknown> => {
  const digests = fc.constantFrom<unknown>(digest, digest, digest, "f".repeat(64), "", null);
  const verdicts = fc.constantFrom<unknown>("allow_once", "allow_once", "deny", "person", "allow", true);
  const parts = fc.record({ digest: digests, verdict: verdicts }, { requiredKeys: ["verdict"] });
  const more = fc.record({ digest: digests, verdict: verdicts, scope: fc.constant("session") });
  return fc.oneof(
    { weight: 6, arbitrary: parts },
    { weight: 4, arbitrary: parts.map((one) => JSON.stringify(one)) },
    more,
    more.map((one) => JSON.stringify(one)),
    parts.map((one) => JSON.stringify(one).repeat(2)),
    {
      weight: 4,
      arbitrary: parts.map((one) => JSON.stringify(one).replace("{", '{"verdict":"deny",')),
    },
    fc.anything(),
  );
};

const mostlyExact = (digest: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ digest, verdict: "allow_once" }) },
    { weight: 2, arbitrary: answer(digest) },
  );

/** True for the one answer that lets a call run. */
function allows(given: unknown, digest: string): boolean {
  const exact = { digest, verdict: "allow_once" };
  if (typeof given !== "string") return JSON.stringify(sorted(given)) === JSON.stringify(exact);
  const text = given.replace(/\s/g, "");
  return [JSON.stringify(exact), JSON.stringify({ verdict: "allow_once", digest })].includes(text);
}

const sorted = (given: unknown): unknown =>
  typeof given === "object" && given !== null ? Object.fromEntries(Object.entries(given).sort()) : given;

const settings = fc
  .record({
    tools: fc.constantFrom(["get_*", "drop_table", "deploy_*", "x"], ["get_*", "x"]),
    risk: fc.constantFrom<("read_only" | "write")[]>(["read_only", "write"], ["write"], ["read_only"]),
    may: fc.constantFrom<("allow_once" | "deny")[]>(["allow_once", "deny"], ["allow_once"], ["deny"]),
  })
  .map(({ tools, risk, may }) => ReviewerSettings.parse({ only: { tools, risk }, may }));

/** Seldom: each case has one or two parts that speak against a review, so that each of them is seen to count. */
const seldom = fc.integer({ min: 0, max: 7 }).map((dice) => dice === 0);

const subject = fc
  .record({ grantsMore: seldom, isWhole: seldom.map((no) => !no), mayRemember: seldom.map((no) => !no) })
  .map((flags) => ({ ...flags, input: {}, cwd: ".", commands: [], granted: null }));

interface Reviewing {
  readonly isForReviewer: typeof isForReviewer;
  readonly readReview: typeof readReview;
}

interface Reviewed {
  readonly given: Case;
  readonly subject: Omit<ReviewSubject, "risk">;
  readonly settings: ReviewerSettings;
  readonly answer: unknown;
}

/** Any case, in which most parts are replaced by what lets a reviewer answer. */
const reviewableCase: fc.Arbitrary<Case> = fc
  .record({ any: policyCase, own: fc.array(seldom, { minLength: 7, maxLength: 7 }), isSaid: fc.boolean() })
  .map(({ any, own, isSaid }) => {
    const [hasRules, hasSaid, needsMore, hasRisk, hasGrant, hasMode, hasCaller] = own;
    const hit = { layer: "tool", rule: "check", action: "ask", reason: null } as const;
    const rules = { operator: NO_OPERATOR, approval: DEFAULT_APPROVAL };
    return {
      ...any,
      tool: any.tool === "shell" ? "x" : any.tool,
      rules: hasRules === true ? any.rules : rules,
      said: hasSaid === true ? any.said : isSaid ? { hit, doubt: null } : null,
      needsMore: needsMore === true ? any.needsMore : null,
      risk: hasRisk === true ? any.risk : "write",
      grant: hasGrant === true ? any.grant : null,
      mode: hasMode === true ? any.mode : "interactive",
      isCallersOwn: hasCaller === true && any.isCallersOwn,
    };
  });

const reviewed: fc.Arbitrary<Reviewed> = fc.record({
  given: reviewableCase,
  subject,
  settings,
  answer: mostlyExact(DIGEST),
});

/** True if the call runs: the rules, a grant or a mode allow it, or a reviewer does. */
function runs(by: Reviewing, { given, subject: known, settings: own, answer: said }: Reviewed): boolean {
  const verdict = decided(DECIDING, given);
  if (verdict.action !== "ask") return verdict.action === "allow";
  if (!by.isForReviewer({ tool: given.tool, verdict }, { ...known, risk: given.risk }, own)) return false;
  try {
    return by.readReview(said, { digest: DIGEST }, own) === "allow_once";
  } catch {
    return false;
  }
}

/** True if a rule of anybody is about the call, and it is no allow. */
function isRuled({ rules, ...given }: Case): boolean {
  const invocation = subjectOf({ ...given, rules });
  const { operator, approval } = rules;
  const own = given.agent === null ? undefined : approval.agents[given.agent];
  const picked = [approval, ...(own === undefined ? [] : [own])].flatMap(
    (layer) => pickRule(layer.rules, layer.order, invocation) ?? [],
  );
  return (
    operator.rules.some((rule) => "pattern" in rule && coversInvocation(rule, invocation)) ||
    picked.some(({ action }) => action !== "allow")
  );
}

const REVIEWING: Reviewing = { isForReviewer, readReview };
const asking = (
  change: (...given: Parameters<typeof isForReviewer>) => Parameters<typeof isForReviewer>,
): Reviewing => ({
  ...REVIEWING,
  isForReviewer: (...given) => isForReviewer(...change(...given)),
});

law<Reviewing, [Reviewed]>(
  "with a reviewer that answers anything, no call runs but those allowed without it, and asks that nothing demands a person for and that it allowed once, in an exact answer",
  (by) =>
    fc.property(reviewed, (one) => {
      const { given, subject: known, settings: own } = one;
      const verdict = decided(DECIDING, given);
      if (verdict.action === "allow" || !runs(by, one)) return;
      expect(verdict).toMatchObject({ action: "ask", demandsPerson: false });
      expect(isRuled(given)).toBe(false);
      expect(given.said?.hit.action === "allow").toBe(false);
      expect(known).toMatchObject({ grantsMore: false, isWhole: true, mayRemember: true });
      expect(own.only.risk).toContain(given.risk);
      expect(own.may).toContain("allow_once");
      expect(own.only.tools.some((glob) => matchesWord(glob, given.tool))).toBe(true);
      expect(allows(one.answer, DIGEST)).toBe(true);
    }),
  REVIEWING,
  {
    "is asked about every request": { ...REVIEWING, isForReviewer: () => true },
    "overlooks rules that ask": asking((call, known, own) => [
      { ...call, verdict: { ...call.verdict, hits: [] } },
      known,
      own,
    ]),
    "overlooks doubts of the tool and further access": asking((call, known, own) => [
      {
        ...call,
        verdict: { ...call.verdict, hits: call.verdict.hits.filter(({ layer }) => layer !== "tool") },
      },
      known,
      own,
    ]),
    "overlooks that a person is demanded": asking((call, known, own) => [
      { ...call, verdict: { ...call.verdict, demandsPerson: false, hits: [] } },
      known,
      own,
    ]),
    "overlooks a larger grant": asking((call, known, own) => [call, { ...known, grantsMore: false }, own]),
    "reviews what is not shown whole": asking((call, known, own) => [call, { ...known, isWhole: true }, own]),
    "answers for a tool that asks each time": asking((call, known, own) => [
      call,
      { ...known, mayRemember: true },
      own,
    ]),
    "reviews every risk": asking((call, known, own) => [
      call,
      { ...known, risk: own.only.risk[0] ?? null },
      own,
    ]),
    "reviews every tool": asking((call, known, own) => [{ ...call, tool: "x" }, known, own]),
    "takes an answer without its digest": {
      ...REVIEWING,
      readReview: (said, _, own) => {
        const given = typeof said === "string" ? JSON.parse(said) : said;
        return readReview({ ...Object(given), digest: DIGEST }, { digest: DIGEST }, own);
      },
    },
    "takes verdicts that the settings do not list": {
      ...REVIEWING,
      readReview: (said, document) => readReview(said, document, { may: ["allow_once", "deny"] }),
    },
    "takes the last of two keys": {
      ...REVIEWING,
      readReview: (said, document, own) =>
        readReview(typeof said === "string" ? JSON.parse(said) : said, document, own),
    },
  },
);

/** The settings of a gate without a person, for calls of one tool. */
const trial = fc.record({
  rules: fc.array(
    fc.record({
      pattern: fc.constantFrom("note", "n*", "other"),
      action: fc.constantFrom(...Action.options),
    }),
    { maxLength: 2 },
  ),
  defaults: fc.record({
    read_only: fc.constantFrom(...Action.options),
    write: fc.constantFrom(...Action.options),
    destructive: fc.constantFrom(...Action.options),
  }),
  risk: fc.constantFrom(...Risk.options),
  required: fc.constantFrom(
    null,
    { required: true },
    { required: true, remember: false },
    { required: false },
  ),
  text: fc.constantFrom("short", "x".repeat(3_000)),
  answer: fc.func(mostlyExact("DIGEST")),
});

it("the same holds of calls through a gate, whatever a function answers", async () => {
  let reviewedRuns = 0;
  await fc.assert(
    fc.asyncProperty(trial, async ({ rules, defaults, risk, required, text, answer: said }) => {
      let ran = 0;
      const requirement = required === null ? {} : { requireApproval: { reason: "it says so", ...required } };
      const tool = defineTool({ name: "note", risk, ...requirement, run: () => (ran += 1) });
      const approval = { rules, risk_defaults: defaults };
      const pass = async (more: GateSettings): Promise<boolean> => {
        ran = 0;
        await using gate = {
          own: createGate({ approval, ...more }),
          [Symbol.asyncDispose]: async () => gate.own.close(),
        };
        await gate.own.guard([tool]).call("note", { text });
        return ran > 0;
      };
      const isAllowed = await pass({});
      const asked = new Asked(() => ({ approved: false, by: "ann" }));
      await pass({ handler: asked });
      let wasExact = false;
      const review = ({ digest }: { readonly digest: string }): unknown => {
        const given = withDigest(said(digest), digest);
        wasExact = allows(given, digest);
        return given;
      };
      const runsNow = await pass({ reviewer: { name: "any", review, only: { tools: ["note"] } } });
      const [request] = asked.requests;
      const isRule =
        request?.why.some(({ layer, action }) => layer === "project" && action === "ask") === true;
      const mayReview =
        request !== undefined &&
        !isRule &&
        risk !== "destructive" &&
        text.length < 2_000 &&
        required?.remember !== false;
      expect(runsNow).toBe(isAllowed || (mayReview && wasExact));
      if (runsNow && !isAllowed) reviewedRuns += 1;
    }),
    { numRuns: 400 },
  );
  expect(reviewedRuns).toBeGreaterThan(0);
});

/** The answer with the digest of its document where it stands for it. */
function withDigest(given: unknown, digest: string): unknown {
  if (typeof given === "string") return given.replaceAll("DIGEST", digest);
  if (typeof given !== "object" || given === null || !("digest" in given) || given.digest !== "DIGEST")
    return given;
  return { ...given, digest };
}
