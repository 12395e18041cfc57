import { CofferdamError, type ErrorDetails } from "../errors.ts";

/** The codes for calls that did not run. */
export type ApprovalCode = "APPROVAL_BLOCKED" | "APPROVAL_DENIED" | "APPROVAL_TIMEOUT" | "APPROVAL_PENDING";

/** A call that may not run, for callers that want a denial thrown: the tool, and the reason in one line. */
export class ApprovalError extends CofferdamError {
  readonly tool: string;
  readonly reason: string;
  /** True if asking again may help. */
  readonly isRetryable: boolean;

  constructor(code: ApprovalCode, tool: string, reason: string, details: ErrorDetails = {}) {
    super(code, reason, details);
    this.name = "ApprovalError";
    this.tool = tool;
    this.reason = reason;
    this.isRetryable = code === "APPROVAL_TIMEOUT";
  }
}

/** A rule, or the tool itself, never allows the call. A tool's own check throws it to block. */
export class ApprovalBlockedError extends ApprovalError {
  constructor(tool: string, reason: string, details: ErrorDetails = {}) {
    super("APPROVAL_BLOCKED", tool, reason, details);
    this.name = "ApprovalBlockedError";
  }
}

/** Rejected by a person or a mode, or there was no one to ask. */
export class ApprovalDeniedError extends ApprovalError {
  constructor(tool: string, reason: string, details: ErrorDetails = {}) {
    super("APPROVAL_DENIED", tool, reason, details);
    this.name = "ApprovalDeniedError";
  }
}

/** No answer came in time. */
export class ApprovalTimeoutError extends ApprovalError {
  constructor(tool: string, reason: string, details: ErrorDetails = {}) {
    super("APPROVAL_TIMEOUT", tool, reason, details);
    this.name = "ApprovalTimeoutError";
  }
}

/** The answer will come later; the id is for looking it up. */
export class ApprovalPendingError extends ApprovalError {
  readonly approvalId: string;

  constructor(tool: string, reason: string, approvalId: string, details: ErrorDetails = {}) {
    super("APPROVAL_PENDING", tool, reason, details);
    this.name = "ApprovalPendingError";
    this.approvalId = approvalId;
  }
}
