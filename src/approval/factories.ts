import type { Json } from "../policy/canonical-json.ts";
import type { Decision, Scope } from "../policy/decision.ts";
import { ApprovalRequest } from "../policy/request.ts";

/** The answer of an outside system's handler; `null` for missing parts. Made frozen by `createApprovalResult`. */
export interface ApprovalResult {
  readonly status: "approved" | "rejected" | "timeout" | "pending";
  readonly approvedBy: string | null;
  readonly reason: string | null;
  readonly approvalId: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** A result with the given parts, and `null` for the rest; frozen. */
export function createApprovalResult(
  given: Pick<ApprovalResult, "status"> & Partial<ApprovalResult>,
): ApprovalResult {
  const nothing = { approvedBy: null, reason: null, approvalId: null, metadata: null };
  return Object.freeze({ ...nothing, ...given });
}

/** A request, deeply frozen. Throws a `ZodError` for an invalid one. */
export function createApprovalRequest(given: ApprovalRequest): ApprovalRequest {
  return deepFrozen(ApprovalRequest.parse(given));
}

/** An approval; `editedInput` replaces the input of the call, and is judged again. */
export function approved(
  by: string,
  more: { readonly scope?: Scope; readonly note?: string; readonly editedInput?: Json } = {},
): Decision {
  return Object.freeze({ status: "approved", scope: "once", by, ...more });
}

/** A rejection. */
export function rejected(by: string, note?: string): Decision {
  return Object.freeze({ status: "rejected", by, ...(note === undefined ? {} : { note }) });
}

/** The same value, deeply frozen. A frozen object may hold others that are not, so every part is visited. */
export function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}
