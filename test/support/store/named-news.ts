import type { ApprovalEvent, ApprovalNews } from "../../../src/event/event.ts";

/** News that say which they are. */
export function newsOf(name: string, runId = "run-1"): ApprovalNews {
  return {
    version: 1,
    at: "2030-01-02T03:04:05.678Z",
    runId,
    sessionId: "s1",
    callId: null,
    type: "grant.revoked",
    grantId: name,
    by: "ann",
  };
}

/** The name of an event that was kept by such news. */
export function nameOf(event: ApprovalEvent): string {
  return event.type === "grant.revoked" ? event.grantId : event.type;
}
