import type { ApprovalCode } from "../policy/approval-error.ts";
import {
  ApprovalBlockedError,
  ApprovalDeniedError,
  type ApprovalError,
  ApprovalPendingError,
  ApprovalTimeoutError,
} from "../policy/approval-error.ts";
import type { HasAnswer } from "../policy/call-answer.ts";
import type { NotRun } from "../policy/not-run.ts";
import type { ReviewRecord } from "../policy/review-record.ts";

/**
 * The outcome of one call of a function tool. `failed`: an unknown tool, invalid arguments, or an error that the tool
 * threw. `review`: the review that allowed the call; left out if no reviewer did.
 */
export type ToolOutcome =
  | ({ readonly kind: "done"; readonly value: unknown; readonly review?: ReviewRecord } & HasAnswer)
  | ({ readonly kind: "failed"; readonly error: unknown; readonly review?: ReviewRecord } & HasAnswer)
  | NotRun<Exclude<ApprovalCode, "APPROVAL_PENDING">>;

/**
 * A result in the form for agents. A denial is no error: the model reads why, and goes on. `answer` is what an approval
 * said beside yes, such as that it changed the input: the model reads it before the output. Other texts hold it.
 */
export type ToolResult =
  | { readonly type: "success"; readonly output: unknown; readonly answer?: string }
  | { readonly type: "denied"; readonly output: string }
  | { readonly type: "error"; readonly error: string }
  | { readonly type: "pending"; readonly reason: string; readonly approvalId: string };

/** A denial as an error, for callers that want one thrown. */
export function approvalError(
  tool: string,
  outcome: Extract<ToolOutcome, { readonly kind: "denied" | "pending" }>,
): ApprovalError {
  if (outcome.kind === "pending")
    return new ApprovalPendingError(tool, outcome.reason, outcome.approvalId, { hint: outcome.hint });
  const { code, reason, hint } = outcome;
  switch (code) {
    case "APPROVAL_BLOCKED":
      return new ApprovalBlockedError(tool, reason, { hint });
    case "APPROVAL_DENIED":
      return new ApprovalDeniedError(tool, reason, { hint });
    case "APPROVAL_TIMEOUT":
      return new ApprovalTimeoutError(tool, reason, { hint });
  }
}
