import { expect, test } from "vitest";
import { crowdOfQuestions, verdictOfManyRules, verdictTimes } from "../../support/approval/figures.ts";

test.each(["gate", "tools"] as const)(
  "10,000 questions at once through a gate (%s) are answered once each, and leave nothing behind (S4-6, S4-14)",
  { timeout: 120_000 },
  async (of) => {
    const { bytesEach, answerMs, ...rest } = await crowdOfQuestions(of);
    expect(rest).toEqual({
      passed: 5_000,
      stopped: 5_000,
      accepted: 10_000,
      resolvedEvents: 10_000,
      left: { waiting: 0, pending: 0, resources: [] },
      warnings: [],
    });
    expect(bytesEach).toBeLessThan(10 * 1024);
    expect(answerMs).toBeLessThan(30_000);
  },
);

test("a verdict is made of 1,000 rules, and takes a moment", () => {
  const { action, hits } = verdictOfManyRules(1);
  expect(action).toBe("ask");
  expect(hits).toMatchObject([{ layer: "risk" }]);
  const times = verdictTimes(50, 200).toSorted((a, b) => a - b);
  expect(times[100]).toBeLessThan(5);
});
