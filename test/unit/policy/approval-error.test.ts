import { describe, expect, test } from "vitest";
import { approvalError, type ToolOutcome } from "../../../src/approval/tool-outcome.ts";
import { toolResult } from "../../../src/call/tool-result.ts";
import { CofferdamError, ERRORS } from "../../../src/errors.ts";
import {
  ApprovalBlockedError,
  ApprovalDeniedError,
  ApprovalError,
  ApprovalPendingError,
  ApprovalTimeoutError,
} from "../../../src/policy/approval-error.ts";

const denied = (code: "APPROVAL_BLOCKED" | "APPROVAL_DENIED" | "APPROVAL_TIMEOUT") =>
  ({ kind: "denied", code, reason: "not today", hint: "ask tomorrow" }) as const;
const PENDING = {
  kind: "pending",
  code: "APPROVAL_PENDING",
  approvalId: "approval-7",
  reason: "a rule asks",
  hint: "wait",
} as const;

describe("what kept a call from running, thrown", () => {
  test.each([
    [denied("APPROVAL_BLOCKED"), ApprovalBlockedError, "ApprovalBlockedError", false],
    [denied("APPROVAL_DENIED"), ApprovalDeniedError, "ApprovalDeniedError", false],
    [denied("APPROVAL_TIMEOUT"), ApprovalTimeoutError, "ApprovalTimeoutError", true],
  ] as const)(
    "has a class, a code, the tool and the reason: $0.code (S3-5, C7)",
    (outcome, Kind, name, isRetryable) => {
      const error = approvalError("deploy", outcome);
      expect(error).toBeInstanceOf(Kind);
      expect(error).toBeInstanceOf(ApprovalError);
      expect(error).toBeInstanceOf(CofferdamError);
      expect(error).toMatchObject({
        name,
        code: outcome.code,
        tool: "deploy",
        reason: "not today",
        message: "not today",
        hint: "ask tomorrow",
        isRetryable,
      });
      expect(ERRORS[error.code].when).not.toBe("");
    },
  );

  test("while it is pending, has the id by which it can be asked for (S3-5)", () => {
    const error = approvalError("deploy", PENDING);
    expect(error).toBeInstanceOf(ApprovalPendingError);
    expect(error).toMatchObject({
      name: "ApprovalPendingError",
      code: "APPROVAL_PENDING",
      approvalId: "approval-7",
      reason: "a rule asks",
      isRetryable: false,
    });
  });
});

test.each<[ToolOutcome, unknown]>([
  [
    { kind: "done", value: { rows: 3 } },
    { type: "success", output: { rows: 3 } },
  ],
  [
    denied("APPROVAL_DENIED"),
    { type: "denied", output: expect.stringMatching(/^Denied: not today\nWhat would help: ask tomorrow\n/) },
  ],
  [
    { kind: "failed", error: new Error("no such table") },
    { type: "error", error: "Error: no such table" },
  ],
  [
    { kind: "failed", error: "a text was thrown" },
    { type: "error", error: "Error: a text was thrown" },
  ],
  [PENDING, { type: "pending", reason: "a rule asks", approvalId: "approval-7" }],
])(
  "an outcome is told to a model as what it came to; a denial is no error (S0-29, S2-4)",
  (outcome, told) => {
    expect(toolResult(outcome)).toEqual(told);
  },
);
