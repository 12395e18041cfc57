import { redactText } from "../policy/redact.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import { changedSince } from "./earlier.ts";
import { createApprovalRequest } from "./factories.ts";
import type { CallIdentity, DecidedCall } from "./gate-result.ts";

type RequestSurroundings = Pick<
  ApprovalRequest,
  | "approvalId"
  | "runId"
  | "sessionId"
  | "project"
  | "client"
  | "createdAt"
  | "expiresAt"
  | "waits"
  | "earlier"
  | "review"
>;

/** The name of a group is cut to this length. */
const MAX_NAME_LENGTH = 256;
/** Maximum of listed rules: no person reads more. */
const MAX_HITS = 50;

/** The request to people about a decided call. Without `sessionGrants` an approval can't be remembered. */
export function requestFor(
  asker: CallIdentity,
  { verdict, argsHash, grantKey, groupId, summarize }: DecidedCall,
  { sessionGrants, ...around }: RequestSurroundings & { readonly sessionGrants: boolean },
): ApprovalRequest {
  const { covers, ...summary } = summarize();
  const { earlier } = around;
  const reason = redactText(verdict.reason).text;
  return createApprovalRequest({
    ...around,
    ...asker,
    groupId: (asker.groupId ?? groupId)?.slice(0, MAX_NAME_LENGTH) ?? null,
    // In the reason every channel shows it, and so does a denial because nobody could be asked.
    reason: earlier === undefined ? reason : `${reason}; asked again, because ${changedSince(earlier)}`,
    demandsPerson: verdict.demandsPerson,
    why: verdict.hits.slice(0, MAX_HITS).map(shownHit),
    argsHash,
    cacheKey: grantKey.cacheKey,
    ...summary,
    covers: sessionGrants && !verdict.demandsPerson ? covers : null,
  });
}

function shownHit(hit: RuleHit): RuleHit {
  const { rule, reason } = hit;
  return { ...hit, rule: redactText(rule).text, reason: reason === null ? null : redactText(reason).text };
}
