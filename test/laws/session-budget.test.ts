import fc from "fast-check";
import type { DecidedCall, GateResult } from "../../src/approval/gate-result.ts";
import { SessionBudget } from "../../src/approval/session-budget.ts";
import { Mode } from "../../src/policy/action.ts";
import { denied } from "../../src/policy/not-run.ts";
import { NOTHING_LEFT_OUT } from "../../src/policy/redactions.ts";
import { Risk } from "../../src/policy/risk.ts";
import { budgetHit, meetBudgets, type UnaskedBudget } from "../../src/policy/unasked-budget.ts";
import { law } from "./law.ts";

const MINUTE_MS = 60_000;

/** One call of a turn: its verdict by the rules, its risk, and the answer if a person is asked about it. */
interface TurnCall {
  readonly action: "allow" | "ask";
  readonly risk: Risk | null;
  readonly layer: "project" | "grant" | "mode";
  readonly isYes: boolean;
  /** How often other work comes between the gate and its result. */
  readonly delay: number;
}

interface Turn {
  readonly calls: readonly TurnCall[];
  readonly minutesBefore: number;
}

function decidedOf({ action, layer }: TurnCall): DecidedCall {
  return {
    verdict: {
      action,
      demandsPerson: false,
      hits: [{ layer, rule: "*", action, reason: null }],
      reason: "a rule",
    },
    argsHash: "a".repeat(64),
    grantKey: { cacheKey: "b".repeat(64), toolVersion: "", program: null, granted: null },
    groupId: null,
    summarize: () => ({
      risk: null,
      description: "",
      safeArgs: {},
      redactions: NOTHING_LEFT_OUT,
      covers: null,
      granted: null,
    }),
    preview: async () => ({ type: "text", content: "" }),
  };
}

type Budget = Pick<SessionBudget, "pass">;
type MakeBudget = (options: ConstructorParameters<typeof SessionBudget>[0]) => Budget;

/** Plays the turns, each concurrently. Returns the most counted calls that ran between two approvals by a person. */
async function mostUnasked(
  make: MakeBudget,
  budget: UnaskedBudget,
  mode: Mode,
  turns: readonly Turn[],
): Promise<{ readonly calls: number; readonly isLate: boolean }> {
  let now = 0;
  const session = make({ budget, mode, now: () => now });
  const seen = { run: 0, most: 0, firstAt: 0, isLate: false };
  const call = async (one: TurnCall): Promise<void> => {
    const decided = decidedOf(one);
    const toGate = async (shown: DecidedCall): Promise<GateResult<DecidedCall>> => {
      const { action, hits } = shown.verdict;
      if (action === "allow" && one.risk !== "read_only") {
        if (seen.run === 0) seen.firstAt = now;
        if (budget.minutes !== undefined && now - seen.firstAt >= budget.minutes * MINUTE_MS)
          seen.isLate = true;
        seen.run += 1;
        seen.most = Math.max(seen.most, seen.run);
      }
      for (let step = 0; step < one.delay; step += 1) await Promise.resolve();
      if (action === "deny") return denied("mode", "strict");
      if (action === "ask") {
        if (!one.isYes) return denied("person", "no");
        const continues = hits.some(({ layer }) => layer === "budget");
        // From here on the person's answer counts, however long the result takes.
        if (continues) Object.assign(seen, { run: 0 });
        return {
          kind: "approved",
          decided: shown,
          isApproved: true,
          approvalId: "id",
          by: "ann",
          answer: null,
          review: null,
        };
      }
      return {
        kind: "approved",
        decided: shown,
        isApproved: false,
        approvalId: null,
        by: null,
        answer: null,
        review: null,
      };
    };
    const { risk } = one;
    await session.pass(
      { decided, decideAgain: async () => decided, risk, approvalId: null, signal: null },
      toGate,
    );
  };
  for (const { calls, minutesBefore } of turns) {
    now += minutesBefore * MINUTE_MS;
    await Promise.all(calls.map(call));
  }
  return { calls: seen.most, isLate: seen.isLate };
}

const call: fc.Arbitrary<TurnCall> = fc.record({
  action: fc.constantFrom("allow", "allow", "allow", "ask"),
  risk: fc.option(fc.constantFrom(...Risk.options)),
  layer: fc.constantFrom("project", "grant", "mode"),
  isYes: fc.boolean(),
  delay: fc.nat(6),
});
const turn: fc.Arbitrary<Turn> = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 8 }),
  minutesBefore: fc.nat(2),
});
const budget: fc.Arbitrary<UnaskedBudget> = fc.record(
  { calls: fc.integer({ min: 1, max: 5 }), minutes: fc.integer({ min: 1, max: 4 }) },
  { requiredKeys: [] },
);

const real: MakeBudget = (options) => new SessionBudget(options);

/** Another budget in the place of the first, for some calls or from some moment on. */
function replaced(
  options: ConstructorParameters<typeof SessionBudget>[0],
  when: (result: GateResult<DecidedCall>) => boolean,
): Budget {
  let inner = new SessionBudget(options);
  return {
    pass: async (given, toGate) => {
      const result = await inner.pass(given, toGate);
      if (when(result)) inner = new SessionBudget(options);
      return result;
    },
  };
}

law<MakeBudget, [UnaskedBudget, Mode, readonly Turn[]]>(
  "between two approvals that continue a session, no more calls run unasked than its budget",
  (make) =>
    fc.asyncProperty(
      budget,
      fc.constantFrom(...Mode.options),
      fc.array(turn, { minLength: 1, maxLength: 6 }),
      async (limit, mode, turns) => {
        const { calls, isLate } = await mostUnasked(make, limit, mode, turns);
        return calls <= (limit.calls ?? Number.POSITIVE_INFINITY) && !isLate;
      },
    ),
  real,
  {
    "begins a new budget after a rejection": (options) => replaced(options, ({ kind }) => kind === "denied"),
    "begins a new budget after any approval": (options) =>
      replaced(options, (result) => result.kind === "approved" && result.by !== null),
    "does not count remembered approvals": (options) => {
      const inner = new SessionBudget(options);
      return {
        pass: (given, toGate) =>
          given.decided.verdict.hits.some(({ layer }) => layer === "grant")
            ? toGate(given.decided, given.decideAgain)
            : inner.pass(given, toGate),
      };
    },
    "looks before it waits, and counts after": (options) => {
      let count = 0;
      return {
        pass: async (given, toGate) => {
          const hit = budgetHit(options.budget, { count, elapsedMs: 0 });
          const { verdict } = given.decided;
          const asked: DecidedCall = {
            ...given.decided,
            verdict: { ...verdict, action: "ask", hits: hit === null ? [] : [hit] },
          };
          const isOver = hit !== null && verdict.action === "allow";
          const result = await toGate(
            isOver ? { ...given.decided, ...asked } : given.decided,
            given.decideAgain,
          );
          count = isOver && result.kind === "approved" ? 0 : count + 1;
          return result;
        },
      };
    },
    "counts calls only": (options) =>
      new SessionBudget({ ...options, budget: { ...options.budget, minutes: undefined } }),
  },
);

law<typeof meetBudgets, [UnaskedBudget, UnaskedBudget, number, number]>(
  "the meet of two budgets asks exactly when one of them does, whichever comes first",
  (meet) =>
    fc.property(budget, budget, fc.nat(8), fc.nat(6), (a, b, count, minutes) => {
      const calls = { count, elapsedMs: minutes * MINUTE_MS };
      const either = budgetHit(a, calls) !== null || budgetHit(b, calls) !== null;
      return (budgetHit(meet(a, b), calls) !== null) === either;
    }),
  meetBudgets,
  {
    "takes the greater": (a, b) => ({ ...a, calls: Math.max(a.calls ?? 9, b.calls ?? 9) }),
    "keeps the first": (a) => a,
  },
);
