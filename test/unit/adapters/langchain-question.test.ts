import { expect, it } from "vitest";
import { decisionFrom } from "../../../src/adapters/langchain/question.ts";
import { type ApprovalQuestion, approve, questionsOf, reject } from "../../../src/adapters/langchain.ts";

const QUESTION: ApprovalQuestion = {
  type: "cofferdam.approval",
  approvalId: "a1",
  toolCallId: "call_1",
  tool: "write_file",
  description: "write to ws:a",
  args: { path: "ws:a" },
  risk: "write",
  reason: "writing asks",
  reach: null,
  forSession: "writing to ws:a",
  expiresAt: null,
  problem: null,
};
const ONCE_ONLY: ApprovalQuestion = { ...QUESTION, forSession: null };

it("an answer names its question, and says what was said and by whom", () => {
  expect(approve(QUESTION)).toEqual({ status: "approved", approvalId: "a1", scope: "once" });
  const all = { scope: "session", by: "ann", note: "fine", editedInput: { path: "ws:b" } } as const;
  expect(approve(QUESTION, all)).toEqual({ status: "approved", approvalId: "a1", ...all });
  expect(reject(QUESTION)).toEqual({ status: "rejected", approvalId: "a1" });
  expect(reject(QUESTION, "no", "ann")).toEqual({
    status: "rejected",
    approvalId: "a1",
    note: "no",
    by: "ann",
  });
});

it("an answer to no question, or with parts that no answer has, is not made", () => {
  expect(() => approve({ approvalId: "a1" })).toThrow("the value is not an approval request");
  expect(() => reject(undefined)).toThrow("the value is not an approval request");
  expect(() => approve(ONCE_ONLY, { scope: "session" })).toThrow("approval for the session is not available");
  const more = { scope: "once", always: true } as const;
  expect(() => approve(QUESTION, more)).toThrow("invalid answer");
  expect(() => reject(QUESTION, "no", "")).toThrow("invalid answer");
});

it("a decision is read from an answer to the same question alone", () => {
  const yes = approve(QUESTION);
  expect(decisionFrom(yes, QUESTION, "langchain")).toEqual({
    decision: { status: "approved", scope: "once", by: "langchain" },
  });
  expect(decisionFrom(reject(QUESTION, "no", "ann"), QUESTION, "langchain")).toEqual({
    decision: { status: "rejected", note: "no", by: "ann" },
  });
  expect(decisionFrom(yes, { ...QUESTION, approvalId: "a2" }, "langchain")).toHaveProperty("problem");
  const forSession = approve(QUESTION, { scope: "session" });
  expect(decisionFrom(forSession, ONCE_ONLY, "langchain")).toHaveProperty("problem");
  for (const none of [
    null,
    true,
    "approved",
    [yes],
    { ...yes, more: 1 },
    { ...yes, scope: "always" },
    { ...yes, editedInput: JSON.parse('{"path": "a", "__proto__": {}}') },
    Object.create(yes),
  ])
    expect(decisionFrom(none, QUESTION, "langchain")).toHaveProperty("problem");
});

it("of what interrupts an agent only our questions are taken, each under its id", () => {
  const theirs = { id: "2", value: { actionRequests: [] } };
  const __interrupt__ = [{ id: "1", value: QUESTION }, theirs, { value: QUESTION }];
  expect([...questionsOf({ __interrupt__ })]).toEqual([["1", QUESTION]]);
  expect(questionsOf({}).size).toBe(0);
});
