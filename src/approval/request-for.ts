import { redactText } from "../policy/redact.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import { createApprovalRequest } from "./factories.ts";
import type { Asker, Question } from "./question.ts";

/** Who asks, where, and until when. */
type Around = Pick<
  ApprovalRequest,
  "approvalId" | "runId" | "sessionId" | "project" | "client" | "createdAt" | "expiresAt"
>;

/** A longer name of a group is cut. */
const MOST_OF_A_NAME = 256;
/** Nobody reads more rules than these. */
const MOST_HITS = 50;

/** What people are asked about a call that was decided. Without `sessionGrants` a yes can't be remembered. */
export function requestFor(
  asker: Asker,
  { verdict, argsHash, grantKey, groupId, show }: Question,
  { sessionGrants, ...around }: Around & { readonly sessionGrants: boolean },
): ApprovalRequest {
  const { covers, ...shown } = show();
  return createApprovalRequest({
    ...around,
    ...asker,
    groupId: (asker.groupId ?? groupId)?.slice(0, MOST_OF_A_NAME) ?? null,
    reason: redactText(verdict.reason).text,
    demandsPerson: verdict.demandsPerson,
    why: verdict.hits.slice(0, MOST_HITS).map(shownHit),
    argsHash,
    cacheKey: grantKey.cacheKey,
    ...shown,
    covers: sessionGrants && !verdict.demandsPerson ? covers : null,
  });
}

function shownHit(hit: RuleHit): RuleHit {
  const { rule, reason } = hit;
  return { ...hit, rule: redactText(rule).text, reason: reason === null ? null : redactText(reason).text };
}
