import { decidedEvent } from "../../../src/approval/decided-event.ts";
import type { ApprovalBody, ApprovalEvent, ApprovalNews } from "../../../src/event/event.ts";
import type { Decision } from "../../../src/policy/decision.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";

/** The request by which all begin at once. */
export const GO = "go";

/** What a broker would tell of a request that it asks. */
export function asked(request: ApprovalRequest): ApprovalNews {
  return about(request, { type: "approval.requested", request });
}

/** The same of an answer to it. */
export function answered(request: ApprovalRequest, decision: Decision): ApprovalNews {
  return about(request, decidedEvent(request, decision));
}

/** The same of one whose run is gone. */
export function abandoned(request: ApprovalRequest): ApprovalNews {
  const { approvalId, tool, argsHash } = request;
  return about(request, { type: "approval.abandoned", approvalId, tool, argsHash });
}

/** Which request an event is about, and what it says: `asked`, `yes`, `no`, `abandoned`. */
export function inShort(event: ApprovalEvent): readonly [approvalId: string, what: string] {
  switch (event.type) {
    case "approval.requested":
      return [event.request.approvalId, "asked"];
    case "approval.resolved":
      return [event.approvalId, event.approved ? "yes" : "no"];
    case "approval.abandoned":
      return [event.approvalId, "abandoned"];
    default:
      throw new Error(`nobody tells ${event.type} here`);
  }
}

function about({ runId, sessionId, callId }: ApprovalRequest, body: ApprovalBody): ApprovalNews {
  return { version: 1, at: new Date().toISOString(), runId, sessionId, callId, ...body };
}
