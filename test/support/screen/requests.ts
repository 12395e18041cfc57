import type { Presentation } from "../../../src/policy/presentation.ts";
import { NOTHING_LEFT_OUT } from "../../../src/policy/redactions.ts";
import type { ApprovalRequest, GrantedView } from "../../../src/policy/request.ts";

export const GRANTED: GrantedView = {
  digest: "d1",
  write: ["/home/ann/project"],
  read: ["/usr/share/dict"],
  runtimes: ["system"],
  network: "none",
  limits: ["wall 2m"],
  shortfall: ["write /etc"],
};

/** A request, of which a test says what matters to it. */
export function requestOf(of: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    approvalId: "a1",
    runId: "r1",
    sessionId: "s1",
    callId: "c1",
    groupId: null,
    tool: "shell",
    agent: "coder",
    risk: "write",
    description: "Execute: npm install left-pad",
    reason: "no rule covers this command",
    demandsPerson: false,
    why: [
      { layer: "project", rule: "shell:npm*", action: "ask", reason: "npm runs scripts" },
      { layer: "risk", rule: "write", action: "ask", reason: null },
    ],
    safeArgs: { command: "npm install left-pad" },
    redactions: NOTHING_LEFT_OUT,
    argsHash: "ab".repeat(32),
    cacheKey: "k1",
    covers: "`npm install left-pad` in /home/ann/project",
    granted: GRANTED,
    createdAt: 0,
    expiresAt: null,
    ...of,
  };
}

/** A command as it is presented. */
export function commandOf(content: string): Presentation {
  return { type: "command", content, about: "/home/ann/project" };
}
