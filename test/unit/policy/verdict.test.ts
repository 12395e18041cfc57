import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Mode } from "../../../src/policy/action.ts";
import {
  NO_OPERATOR,
  type OperatorApproval,
  type OperatorRule,
} from "../../../src/policy/approval-section.ts";
import { answerByMode, type Verdict } from "../../../src/policy/verdict.ts";
import { ShellRule } from "../../../src/shell/rule.ts";
import { type AllRules, approvalOf, judgeCommand, judged } from "./judge-command.ts";

const rules = (shell: readonly unknown[] = [], more: Partial<AllRules> = {}): AllRules => ({
  operator: NO_OPERATOR,
  approval: approvalOf({ rules: [] }),
  shell: {
    rules: shell.map((rule) => ShellRule.parse(rule)),
    order: "first-match",
    default: { allowed: true, approval: true },
  },
  ...more,
});

const operator = (...given: readonly OperatorRule[]): OperatorApproval => ({ ...NO_OPERATOR, rules: given });

describe("the tool's own rules", () => {
  const given = rules([
    { pattern: "git status", approval: false },
    { pattern: "git", description: "anything git" },
    { pattern: "rm", allowed: false },
    { pattern: "pytest", approval: false, sandbox_paths: ["notes"] },
  ]);

  test("the first that covers the words decides (S1-18, S1-19)", () => {
    expect(judgeCommand(judged(["git", "status", "--short"]), given).action).toBe("allow");
    expect(judgeCommand(judged(["git", "push"]), given)).toMatchObject({
      action: "ask",
      reason: "anything git",
    });
    expect(judgeCommand(judged(["git", "statusx"]), given).action).toBe("ask");
  });

  test("a rule that forbids also covers the program by its file name", () => {
    expect(judgeCommand(judged(["/usr/bin/rm", "-rf", "x"]), given)).toMatchObject({
      action: "deny",
      reason: "blocked by rule `rm` of `shell.rules`",
    });
    expect(judgeCommand(judged(["rmdir", "x"]), given).action).toBe("ask");
  });

  test("a rule that forbids also covers the program behind a link", () => {
    const linked = judged(["./x", "y"], { programNames: ["x", "rm"] });
    expect(judgeCommand(linked, given).action).toBe("deny");
    expect(judgeCommand({ ...linked, programNames: ["x", "ls"] }, given).action).toBe("ask");
  });

  test("a rule that asks nobody does not speak for a program that the call could have written", () => {
    expect(judgeCommand(judged(["git", "status"], { programFile: "writable" }), given).action).toBe("ask");
  });

  test("a rule with roots speaks only when every path lies in them (S1-20)", () => {
    expect(judgeCommand(judged(["pytest", "a"]), given).action).toBe("allow");
    expect(judgeCommand(judged(["pytest", "/etc"], { arePathsInside: () => false }), given).action).toBe(
      "ask",
    );
  });

  test("what no rule covers is as the default says, and one that allows nothing blocks (S1-22, S1-D2)", () => {
    const closed = rules([], {
      shell: { rules: [], order: "first-match", default: { allowed: false, approval: false } },
    });
    expect(judgeCommand(judged(["make"]), given).action).toBe("ask");
    expect(judgeCommand(judged(["make"]), closed).action).toBe("deny");
    expect(judgeCommand(judged(null), closed).action).toBe("deny");
  });

  test("what nobody understands is asked about, whatever the rules allow", () => {
    expect(judgeCommand(judged(null), rules([{ pattern: "*", approval: false }])).action).toBe("ask");
  });
});

test("an allow whose own target needs more than it gets unasked is asked about", () => {
  const given = rules([{ pattern: "cat", approval: false }]);
  expect(
    judgeCommand(judged(["cat", "x"], { needsMore: "reading /w/private needs approval" }), given),
  ).toMatchObject({
    action: "ask",
    reason: "reading /w/private needs approval",
  });
});

test("of the project's rules for tools the last that matches decides, or the first, or the strictest (S0-10, C5)", () => {
  const approval = (order: "last-match" | "first-match" | "strictest") =>
    rules([], {
      approval: approvalOf({
        order,
        rules: [
          { pattern: "sh*", action: "deny" },
          { pattern: "*", action: "allow" },
        ],
      }),
    });
  expect(judgeCommand(judged(["x"]), approval("last-match")).action).toBe("allow");
  expect(judgeCommand(judged(["x"]), approval("first-match")).action).toBe("deny");
  expect(judgeCommand(judged(["x"]), approval("strictest")).action).toBe("deny");
});

test("an operator's ask demands a person, and an operator's deny nobody lifts", () => {
  const asks = judgeCommand(
    judged(["git", "push"]),
    rules([{ pattern: "git", approval: false }], {
      operator: operator({ shell: "git push", action: "ask" }),
    }),
  );
  expect(asks).toMatchObject({ action: "ask", demandsPerson: true });
  expect(answerByMode(asks, "approve_all", false)).toBe(asks);
  expect(answerByMode(asks, "strict", false)).toMatchObject({ action: "deny" });
  expect(answerByMode(asks, "interactive", true)).toMatchObject({ action: "ask" });
  const denying = rules([{ pattern: "*", approval: false }], {
    operator: operator({ shell: "git push", action: "deny" }),
  });
  expect(judgeCommand(judged(["git", "push"]), denying).action).toBe("deny");
  const unread = judgeCommand(judged(null), denying);
  expect(unread).toMatchObject({ action: "ask", demandsPerson: true });
  expect(answerByMode(unread, "approve_all", false)).toBe(unread);
});

test("a mode or the caller's own typing answers an ask, and nothing else", () => {
  const ask = judgeCommand(judged(["make"]), rules());
  const answers = (["interactive", "strict", "approve_all"] as const).map((mode) => [
    mode,
    answerByMode(ask, mode, false).action,
    answerByMode(ask, mode, true).action,
  ]);
  expect(answers).toEqual([
    ["interactive", "ask", "allow"],
    ["strict", "deny", "deny"],
    ["approve_all", "allow", "allow"],
  ]);
});

test("what the caller typed runs with what a yes grants, also where a rule let it pass", () => {
  const allowed = judgeCommand(judged(["make"]), rules([{ pattern: "make", approval: false }]));
  expect(answerByMode(allowed, "interactive", true).hits.at(-1)).toMatchObject({
    layer: "caller",
    action: "allow",
  });
  expect(answerByMode(allowed, "interactive", false)).toBe(allowed);
  expect(answerByMode(allowed, "strict", true)).toBe(allowed);
});

const RANK = { allow: 0, ask: 1, deny: 2 } as const;
const MODES: readonly Mode[] = ["interactive", "strict", "approve_all"];
const arbRule = fc.record({
  pattern: fc.constantFrom("a", "a b", "*", "b"),
  allowed: fc.boolean(),
  approval: fc.boolean(),
});
const arbOperatorRule = fc.oneof(
  fc.record({
    shell: fc.constantFrom("a", "a b", "b"),
    action: fc.constantFrom("ask" as const, "deny" as const),
  }),
  fc.record({
    pattern: fc.constantFrom("shell", "*", "other"),
    action: fc.constantFrom("ask" as const, "deny" as const),
  }),
);
const arbWords = fc.option(fc.array(fc.constantFrom("a", "b", "/x/a"), { minLength: 1, maxLength: 3 }), {
  nil: null,
});

test("adding an operator's rule never loosens, in any mode", () => {
  fc.assert(
    fc.property(
      arbWords,
      fc.array(arbRule),
      fc.array(arbOperatorRule),
      arbOperatorRule,
      fc.boolean(),
      (words, shell, before, added, isCallers) => {
        const verdict = (given: readonly OperatorRule[]): Verdict =>
          judgeCommand(judged(words), rules(shell, { operator: operator(...given) }));
        for (const mode of MODES) {
          const [less, more] = [
            answerByMode(verdict(before), mode, isCallers),
            answerByMode(verdict([...before, added]), mode, isCallers),
          ];
          expect(RANK[more.action]).toBeGreaterThanOrEqual(RANK[less.action]);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test("a deny is never lifted by a mode or by the caller", () => {
  fc.assert(
    fc.property(
      arbWords,
      fc.array(arbRule),
      fc.array(arbOperatorRule),
      fc.constantFrom(...MODES),
      fc.boolean(),
      (words, shell, given, mode, isCallers) => {
        const verdict = judgeCommand(judged(words), rules(shell, { operator: operator(...given) }));
        if (verdict.action === "deny") expect(answerByMode(verdict, mode, isCallers).action).toBe("deny");
      },
    ),
    { numRuns: 2000 },
  );
});
