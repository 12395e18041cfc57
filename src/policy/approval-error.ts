import { CofferdamError, type ErrorDetails } from "../errors.ts";

/** The codes of what keeps a call from running. */
export type ApprovalCode = "APPROVAL_BLOCKED" | "APPROVAL_DENIED" | "APPROVAL_TIMEOUT" | "APPROVAL_PENDING";

/** A call that may not run, for callers that want a denial thrown: which tool, and why in one line. */
export class ApprovalError extends CofferdamError {
  readonly tool: string;
  readonly reason: string;
  /** True where asking again may help. */
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

/** A person or a mode said no, or nobody could be asked. */
export class ApprovalDeniedError extends ApprovalError {
  constructor(tool: string, reason: string, details: ErrorDetails = {}) {
    super("APPROVAL_DENIED", tool, reason, details);
    this.name = "ApprovalDeniedError";
  }
}

/** Nobody answered in time. */
export class ApprovalTimeoutError extends ApprovalError {
  constructor(tool: string, reason: string, details: ErrorDetails = {}) {
    super("APPROVAL_TIMEOUT", tool, reason, details);
    this.name = "ApprovalTimeoutError";
  }
}

/** The answer will come later; by this id it can be asked for. */
export class ApprovalPendingError extends ApprovalError {
  readonly approvalId: string;

  constructor(tool: string, reason: string, approvalId: string, details: ErrorDetails = {}) {
    super("APPROVAL_PENDING", tool, reason, details);
    this.name = "ApprovalPendingError";
    this.approvalId = approvalId;
  }
}
