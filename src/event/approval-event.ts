import { z } from "zod";
import { ApprovalRequest } from "../policy/request.ts";

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** A person is asked: the request is out, and nothing runs before its answer. */
export const ApprovalRequested = z.strictObject({
  type: z.literal("approval.requested"),
  request: ApprovalRequest,
});

/** The one answer that counts. `by` is `nobody` where it is the lack of one. */
export const ApprovalResolved = z.strictObject({
  type: z.literal("approval.resolved"),
  approvalId: z.string(),
  tool: z.string(),
  argsHash: Digest,
  approved: z.boolean(),
  /** Of a yes: how far it reaches. */
  scope: z.enum(["once", "session"]).nullable(),
  by: z.string(),
  note: z.string().nullable(),
  /** Something else than what was asked about shall run; it is judged again. */
  isEdited: z.boolean(),
});

/** Nobody answered in time. */
export const ApprovalExpired = z.strictObject({
  type: z.literal("approval.expired"),
  approvalId: z.string(),
  tool: z.string(),
  argsHash: Digest,
});

/** A call was allowed or denied without asking anybody. `by`: the words of the rule, grant or mode that did it. */
export const ApprovalAuto = z.strictObject({
  type: z.literal("approval.auto"),
  argsHash: Digest,
  approved: z.boolean(),
  by: z.string(),
});

/**
 * An answer came that counts for nothing: another was first, the time had run out, nobody had asked, or whoever gave it
 * may not answer.
 */
export const ApprovalIgnored = z.strictObject({
  type: z.literal("approval.ignored"),
  approvalId: z.string(),
  by: z.string(),
  because: z.enum(["duplicate", "expired", "unknown", "forbidden"]),
});

/** One that should have asked threw, answered what is no decision, or can't hear answers for now. */
export const ApprovalFailed = z.strictObject({
  type: z.literal("approval.failed"),
  approvalId: z.string(),
  reason: z.string(),
});

/**
 * What was approved was taken to be run, and whoever took it was not heard of any more. It may have run, whole or in part,
 * and is not run again.
 */
export const ApprovalAbandoned = z.strictObject({
  type: z.literal("approval.abandoned"),
  approvalId: z.string(),
  tool: z.string(),
  argsHash: Digest,
});

/** A yes is remembered for the session. */
export const GrantSaved = z.strictObject({
  type: z.literal("grant.saved"),
  grantId: z.string(),
  tool: z.string(),
  /** Of a yes to a call; null for one to a host. */
  cacheKey: z.string().nullable(),
  /** Of a yes to a host: its name. */
  host: z.string().nullable().default(null),
  covers: z.string(),
  by: z.string(),
});

/** A remembered yes counts no more. */
export const GrantRevoked = z.strictObject({
  type: z.literal("grant.revoked"),
  grantId: z.string(),
  by: z.string(),
});
