import type { ApprovalBody } from "../event/event.ts";
import type { Decision } from "../policy/decision.ts";
import { boundsOf, type Grant, type RejectionGrant } from "../policy/grant.ts";
import type { ApprovalRequest } from "../policy/request.ts";

/** The event that records a grant. */
export function savedEvent(grant: Grant): ApprovalBody {
  const { kind, grantId, tool, covers, by, grantedAt } = grant;
  const { lastsMs, maxUses } = boundsOf(grant);
  return {
    type: "grant.saved",
    grantId,
    tool,
    cacheKey: kind === "call" ? grant.key.cacheKey : kind === "rejection" ? grant.cacheKey : null,
    host: kind === "host" ? grant.host : null,
    covers,
    by,
    ...(kind === "rejection" ? { isRejection: true } : {}),
    ...(lastsMs === null ? {} : { until: grantedAt + lastsMs }),
    ...(maxUses === null ? {} : { maxUses }),
  };
}

/** The rejection that holds for the rest of a session; null if the decision is another one. */
export function rejectionOf(
  { approvalId, sessionId, tool, cacheKey, covers, description }: ApprovalRequest,
  decision: Decision,
  grantedAt: number,
): RejectionGrant | null {
  if (decision.status !== "rejected" || decision.scope === undefined) return null;
  const { by } = decision;
  return {
    kind: "rejection",
    // One request is rejected once.
    grantId: approvalId,
    sessionId,
    tool,
    cacheKey,
    covers: covers ?? description,
    by,
    grantedAt,
  };
}
