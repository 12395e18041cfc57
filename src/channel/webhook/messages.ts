import { z } from "zod";
import { Note, Scope } from "../../policy/decision.ts";
import { KEEP_TOOL } from "../../policy/keep-tool.ts";
import { isShownWhole } from "../../policy/redactions.ts";
import { ApprovalRequest } from "../../policy/request.ts";
import type { ScopeOffer } from "../../policy/scope-offer.ts";
import type { StoredRequest } from "../../store/store.ts";

const timestamp = z.iso.datetime().describe("the time of the event, in UTC");

/** The request as it is sent: without hashes, from which a secret could be guessed. */
const SentRequest = z.strictObject({
  ...ApprovalRequest.unwrap().omit({ argsHash: true, cacheKey: true, client: true }).shape,
  isWhole: z.boolean().describe("false: something was left out, so this message can't be approved by"),
});

/** The message that asks: `data` is the request. Answer it by a signed `approval.answer`. */
export const RequestedMessage = z.strictObject({
  type: z.literal("approval.requested"),
  timestamp,
  data: SentRequest,
});
export type RequestedMessage = z.infer<typeof RequestedMessage>;

/** The message that a request is over, whoever answered it. */
export const SettledMessage = z.strictObject({
  type: z.literal("approval.settled"),
  timestamp,
  data: z.strictObject({
    approvalId: z.string().describe("the id of the request"),
    status: z
      .enum(["approved", "rejected", "expired"])
      .describe("its end; `expired`: nobody answered in time"),
    by: z.string().nullable().describe("the person who answered; null without an answer"),
    note: z.string().nullable().describe("the comment of that person; null without one"),
  }),
});
export type SettledMessage = z.infer<typeof SettledMessage>;

/** The answer of a person, signed by the receiver with the same secret. */
export const AnswerMessage = z.strictObject({
  type: z.literal("approval.answer"),
  data: z.strictObject({
    approvalId: z.string().min(1).max(256).describe("the id of the request"),
    approved: z.boolean().describe("true approves the call, false rejects it"),
    scope: Scope.default("once").describe(
      "for approvals: this call only, for the session, or an offered scope",
    ),
    by: z.string().min(1).max(64).describe("the person, as `approvers` lists them"),
    name: z.string().max(100).optional().describe("the person's name, for people"),
    note: Note.optional().describe("a comment, kept with the decision"),
  }),
});
export type AnswerMessage = z.infer<typeof AnswerMessage>;

/**
 * True if the message holds the whole call. Nobody can approve by a message that does not: a part that looks like a
 * secret may be a command. The content of files in quarantine is in no message.
 */
export function isSentWhole({ redactions, tool }: Pick<ApprovalRequest, "redactions" | "tool">): boolean {
  return isShownWhole(redactions) && tool !== KEEP_TOOL;
}

/** The message that asks about a request. */
export function requestedMessage(request: ApprovalRequest): RequestedMessage {
  const { argsHash: _, cacheKey: __, client: ___, offers, ...sent } = request;
  return {
    type: "approval.requested",
    timestamp: new Date(request.createdAt).toISOString(),
    data: {
      ...sent,
      ...(offers === undefined ? {} : { offers: offers.map(withoutOtherCalls) }),
      isWhole: isSentWhole(request),
    },
  };
}

/** The offer with the counts of recorded calls, but no text of them: the message is about one call. */
function withoutOtherCalls({ passed, asked, ...offer }: ScopeOffer): ScopeOffer {
  return { ...offer, passed: { ...passed, calls: [] }, asked: { ...asked, calls: [] } };
}

/** The message about the outcome of a request; null while it waits. */
export function settledMessage(stored: StoredRequest | null, nowMs: number): SettledMessage | null {
  const decision = stored?.decision;
  if (stored === null || decision === null || decision === undefined) return null;
  const { by = null, note = null } =
    decision.status === "expired" ? {} : { by: decision.by, note: decision.note };
  return {
    type: "approval.settled",
    timestamp: new Date(nowMs).toISOString(),
    data: { approvalId: stored.request.approvalId, status: decision.status, by, note },
  };
}
