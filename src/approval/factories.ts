import type { Decision, Scope } from "../policy/decision.ts";
import { ApprovalRequest } from "../policy/request.ts";

/** What a handler of an outside system answers; `null` where nothing is said. Made frozen by `createApprovalResult`. */
export interface ApprovalResult {
  readonly status: "approved" | "rejected" | "timeout" | "pending";
  readonly approvedBy: string | null;
  readonly reason: string | null;
  readonly approvalId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** A result with what is given, and `null` for the rest; frozen. */
export function createApprovalResult(
  given: Pick<ApprovalResult, "status"> & Partial<ApprovalResult>,
): ApprovalResult {
  const nothing = { approvedBy: null, reason: null, approvalId: null, metadata: null };
  return Object.freeze({ ...nothing, ...given });
}

/** A request with everything in it frozen. Throws a `ZodError` for what is none. */
export function createApprovalRequest(given: ApprovalRequest): ApprovalRequest {
  return deepFrozen(ApprovalRequest.parse(given));
}

/** A yes. */
export function approved(
  by: string,
  more: { readonly scope?: Scope; readonly note?: string } = {},
): Decision {
  return Object.freeze({ status: "approved", scope: "once", by, ...more });
}

/** A no. */
export function rejected(by: string, note?: string): Decision {
  return Object.freeze({ status: "rejected", by, ...(note === undefined ? {} : { note }) });
}

/** The same value with everything in it frozen. What is frozen may hold what is not, so nothing is passed over. */
export function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}
