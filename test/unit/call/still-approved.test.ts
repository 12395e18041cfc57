import { expect, test } from "vitest";
import type { ApprovedRun, DecidedCall } from "../../../src/approval/gate-result.ts";
import { stillApproved } from "../../../src/call/still-approved.ts";
import type { Verdict } from "../../../src/policy/verdict.ts";

const ALLOW: Verdict = { action: "allow", demandsPerson: false, hits: [], reason: "a rule" };
const decidedBy = (verdict: Verdict): DecidedCall => ({
  verdict,
  argsHash: "same",
  grantKey: { cacheKey: "", toolVersion: "", program: null, granted: null },
  groupId: null,
  summarize: () => {
    throw new TypeError("nobody is asked");
  },
  preview: async () => {
    throw new TypeError("nobody is asked");
  },
});
const runBy = (verdict: Verdict): ApprovedRun<DecidedCall> => ({
  kind: "approved",
  decided: decidedBy(verdict),
  isApproved: false,
  approvalId: null,
  by: null,
  answer: null,
  review: null,
});
const rememberedAs = (id: string): Verdict => ({ ...ALLOW, remembered: { of: "session", id, by: "ann" } });

/** The outcome of a change of the config between a decision and the start. */
async function after(before: Verdict, now: Verdict): Promise<string> {
  const looks = [false, true];
  const runner = { isCurrent: () => looks.shift() ?? true };
  return (await stillApproved(runBy(before), runner, async () => decidedBy(now))).kind;
}

test("a call that only a remembered answer allows since a change does not run without a counted use", async () => {
  expect(await after(ALLOW, rememberedAs("a"))).toBe("denied");
  expect(await after(rememberedAs("a"), rememberedAs("b"))).toBe("denied");
  expect(await after(rememberedAs("a"), rememberedAs("a"))).toBe("approved");
  expect(await after(rememberedAs("a"), ALLOW)).toBe("approved");
  expect(await after(ALLOW, ALLOW)).toBe("approved");
});
