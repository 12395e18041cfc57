import type { ApprovalBody } from "../event/event.ts";
import type { Decision } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";

/** The event that records a decision. */
export function decidedEvent(
  { approvalId, tool, argsHash }: ApprovalRequest,
  decision: Decision,
): ApprovalBody {
  if (decision.status === "expired") return { type: "approval.expired", approvalId, tool, argsHash };
  const isApproved = decision.status === "approved";
  return {
    type: "approval.resolved",
    approvalId,
    tool,
    argsHash,
    approved: isApproved,
    scope: decision.scope ?? null,
    ...(isApproved && decision.grantId !== undefined ? { grantId: decision.grantId } : {}),
    by: decision.by,
    note: decision.note ?? null,
    isEdited: isApproved && decision.editedInput !== undefined,
  };
}
