import { expect, test } from "vitest";
import { crowdOfQuestions, verdictOfManyRules } from "../../support/approval/figures.ts";
import { workMs } from "../../support/load/held-loop.ts";

test.each(["gate", "tools"] as const)(
  "10,000 questions at once through a gate (%s) are answered once each, and leave nothing behind (S4-6, S4-14)",
  { timeout: 120_000 },
  async (of) => {
    const { bytesEach, answerMs: _bench, ...rest } = await crowdOfQuestions(of);
    expect(rest).toEqual({
      passed: 5_000,
      stopped: 5_000,
      accepted: 10_000,
      resolvedEvents: 10_000,
      left: { waiting: 0, pending: 0, resources: [] },
      warnings: [],
    });
    expect(bytesEach).toBeLessThan(10 * 1024);
  },
);

test("a verdict is made of 1,000 rules, and takes a moment", () => {
  const { action, hits } = verdictOfManyRules(1);
  expect(action).toBe("ask");
  expect(hits).toMatchObject([{ layer: "risk" }]);
  const work = workMs(() => {
    for (let run = 0; run < 200; run += 1) verdictOfManyRules(run);
  });
  expect(work / 200).toBeLessThan(5);
});
