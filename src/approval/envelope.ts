import type { ApprovalEvent } from "../event/event.ts";
import type { Json } from "../policy/canonical-json.ts";

/** An event about approvals in its wire form: names with underscores, one shape for all, version 1. */
export interface Envelope {
  readonly type: ApprovalEvent["type"];
  readonly version: 1;
  readonly seq: number;
  readonly run_id: string;
  readonly session_id: string;
  /** Null for an event that is not about one request. */
  readonly approval_id: string | null;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly payload: { readonly [key: string]: Json };
}

/** The event in its envelope. */
export function toEnvelope(event: ApprovalEvent): Envelope {
  const approvalId = event.type === "approval.requested" ? event.request.approvalId : null;
  return {
    type: event.type,
    version: 1,
    seq: event.seq,
    run_id: event.runId,
    session_id: event.sessionId,
    approval_id: "approvalId" in event ? event.approvalId : approvalId,
    created_at: Date.parse(event.at) / 1000,
    payload: payloadOf(event),
  };
}

function payloadOf(event: ApprovalEvent): Envelope["payload"] {
  switch (event.type) {
    case "approval.requested": {
      const { request } = event;
      const { createdAt, expiresAt, redactions } = request;
      return {
        tool_name: request.tool,
        description: request.description,
        reason: request.reason,
        safe_args: request.safeArgs,
        redactions: {
          hidden: redactions.hidden.map(({ at, because }) => ({ at, because })),
          cut: redactions.cut.map(({ at, whole }) => ({ at, whole })),
          is_more: redactions.isMore,
        },
        cache_key: request.cacheKey,
        timeout_s: expiresAt === null ? null : Math.round((expiresAt - createdAt) / 1000),
        risk_level: request.risk,
        agent_name: request.agent,
        ...(request.project === undefined ? {} : { project: request.project }),
        group_id: request.groupId,
        covers: request.covers,
      };
    }
    case "approval.resolved":
      return {
        approved: event.approved,
        remember: event.scope === "session" ? "session" : null,
        by: event.by,
        note: event.note,
        is_edited: event.isEdited,
      };
    case "approval.expired":
    case "approval.abandoned":
      return { tool_name: event.tool };
    case "approval.auto":
      return { approved: event.approved, by: event.by };
    case "approval.reviewed":
      return { tool_name: event.tool, verdict: event.review.verdict, by: event.review.by };
    case "approval.ignored":
      return { by: event.by, because: event.because };
    case "approval.failed":
      return { reason: event.reason };
    case "grant.saved":
      return {
        grant_id: event.grantId,
        tool_name: event.tool,
        host: event.host,
        covers: event.covers,
        by: event.by,
      };
    case "grant.revoked":
      return { grant_id: event.grantId, by: event.by };
  }
}
