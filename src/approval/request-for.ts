import { redactText } from "../policy/redact.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import { changedSince } from "./earlier.ts";
import { createApprovalRequest } from "./factories.ts";
import type { GateOptions } from "./gate-options.ts";
import type { CallIdentity, DecidedCall } from "./gate-result.ts";
import { offersFor } from "./scope-offers.ts";
import { deadlineOf } from "./wait.ts";

/** How a request is stored and answered, and the parts that people are told besides. */
interface RequestSettings {
  readonly approvalId: string;
  /** True if its call waits for the answer. */
  readonly waits: boolean;
  readonly earlier: ApprovalRequest["earlier"] | null;
  readonly review: ApprovalRequest["review"] | null;
}

/** The name of a group is cut to this length. */
const MAX_NAME_LENGTH = 256;
/** Maximum of listed rules: no person reads more. */
const MAX_HITS = 50;

/** The request to people about a decided call. Without `sessionGrants` an approval of it can't be remembered. */
export async function requestFor(
  asker: CallIdentity,
  decided: DecidedCall,
  { approvalId, waits, earlier, review }: RequestSettings,
  options: GateOptions,
): Promise<ApprovalRequest> {
  const { verdict, argsHash, grantKey, groupId, summarize } = decided;
  const { host, wait, client, runId, sessionId, project, sessionGrants } = options;
  const { covers, ...summary } = summarize();
  const reason = redactText(verdict.reason).text;
  const offered = await offersFor(decided, covers, options);
  const createdAt = host.now();
  return createApprovalRequest({
    approvalId,
    runId,
    sessionId,
    project,
    ...(client === null ? {} : { client }),
    createdAt,
    expiresAt: deadlineOf(wait, createdAt),
    waits,
    ...(earlier ? { earlier } : {}),
    ...(review ? { review } : {}),
    ...asker,
    ...offered,
    groupId: (asker.groupId ?? groupId)?.slice(0, MAX_NAME_LENGTH) ?? null,
    // In the reason every channel shows it, and so does a denial because nobody could be asked.
    reason: !earlier ? reason : `${reason}; asked again, because ${changedSince(earlier)}`,
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
