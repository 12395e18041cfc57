import { createApprovalRequest } from "../../../src/approval/factories.ts";
import { NOTHING_LEFT_OUT } from "../../../src/policy/redactions.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";

const DIGEST = "0123456789abcdef".repeat(4);

/** A request as a gate would make one, with what is given in place of its own. */
export function requestWith(given: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return createApprovalRequest({
    approvalId: "approval-1",
    runId: "run-1",
    sessionId: "session-1",
    callId: "call-1",
    groupId: null,
    tool: "deploy",
    agent: null,
    risk: "write",
    description: "deploy to staging",
    reason: "no rule covers `deploy`, and its risk is write",
    demandsPerson: false,
    why: [],
    safeArgs: { env: "staging" },
    redactions: NOTHING_LEFT_OUT,
    argsHash: DIGEST,
    cacheKey: DIGEST,
    covers: 'deploy with {"env":"staging"}',
    granted: null,
    createdAt: 1_900_000_000_000,
    expiresAt: null,
    ...given,
  });
}
