import { z } from "zod";
import { Note, Scope, ScopeLimits } from "../policy/decision.ts";
import { Grant } from "../policy/grant.ts";
import { JsonData } from "../policy/json-data.ts";
import { Presentation } from "../policy/presentation.ts";
import { ApprovalRequest } from "../policy/request.ts";

/** Some stores cannot keep half characters. */
const WholeNote = Note.refine((text) => text.isWellFormed(), { error: "contains half a character" });

/** An answer: approved or not. `remember` is the same as `scope`, `reason` the same as `note`. */
export const AnswerBody = z.strictObject({
  approved: z.boolean().describe("true approves the call, false rejects it"),
  scope: Scope.optional().describe(
    "for approvals: this call only (the default), this call for the session, or one of the request's `offers`",
  ),
  limits: ScopeLimits.optional().describe("for approvals of more than this call: when they end"),
  lasts: z
    .literal("session")
    .optional()
    .describe("for rejections: reject the same call until the session ends"),
  remember: z.literal("session").nullish().describe("the same as `scope: session`"),
  note: WholeNote.nullish().describe("a comment, kept with the decision"),
  reason: WholeNote.nullish().describe("the same as `note`"),
  editedInput: JsonData.optional().describe("for approvals: input that replaces the requested one"),
});
export type AnswerBody = z.infer<typeof AnswerBody>;

/** An answer as event streams of agents send it. */
export const ShortAnswerBody = z.strictObject({
  approved: z.boolean().default(false).describe("true approves the call, false rejects it"),
  always: z.boolean().default(false).describe("true approves it for the session"),
  reason: WholeNote.default("").describe("a comment, kept with the decision"),
});

/** The selected requests: they must match every given part, and at least one must be given. */
const SelectedRequests = z
  .strictObject({
    runId: z.string().exactOptional().describe("requests of this run"),
    sessionId: z.string().exactOptional().describe("requests of this session"),
    groupId: z.string().exactOptional().describe("requests of this group"),
  })
  .refine((filter) => Object.keys(filter).length > 0, { error: "must name a run, session or group" })
  .describe("the selected requests; at least one part is needed");

const APPROVED = "true approves the requests in `seen`, false rejects all unanswered ones";
const GroupNote = WholeNote.nullish().describe("a comment, kept with each decision");

/**
 * One answer to several requests. A rejection is for all that wait now. An approval is only for those that are named,
 * because others may have come since they were read.
 */
export const AnswersBody = z.discriminatedUnion("approved", [
  z.strictObject({
    filter: SelectedRequests,
    approved: z.literal(false).describe(APPROVED),
    note: GroupNote,
  }),
  z.strictObject({
    filter: SelectedRequests,
    approved: z.literal(true).describe(APPROVED),
    seen: z.array(z.string()).min(1).max(1_000).describe("the ids of the requests that are approved"),
    note: GroupNote,
  }),
]);
export type AnswersBody = z.infer<typeof AnswersBody>;

/** The state of a request. */
export const Status = z.enum(["pending", "approved", "rejected", "expired", "executing", "done", "failed"]);

/** The answer to a request. Replaced input is visible only to the process that runs the call. */
const DECIDED = "the decision";
const By = z.string().describe("the person or program that answered");
const StoredNote = z.string().nullable().describe("the comment with the answer");
const StoredDecision = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("approved").describe(DECIDED),
    scope: Scope.describe("for approvals: this call only, or more"),
    by: By,
    note: StoredNote,
    isEdited: z.boolean().describe("for approvals: true if other input replaced the requested one"),
  }),
  z.strictObject({
    status: z.literal("rejected").describe(DECIDED),
    by: By,
    note: StoredNote,
    lasts: z.literal("session").exactOptional().describe("present if it holds until the session ends"),
  }),
  z.strictObject({ status: z.literal("expired").describe(DECIDED) }),
]);
export type StoredDecision = z.infer<typeof StoredDecision>;

const now = z.number().describe("milliseconds since 1970, by the clock of `expiresAt`");
const lastEventId = z
  .string()
  .describe("the id of the last event, for `Last-Event-ID` or the parameter `after`");
const stateOf = {
  status: Status.nullable().describe("the state of the request; null if it is unknown"),
  decision: StoredDecision.nullable().describe("the decision; null if there is none"),
};

/** All waiting requests, and the event after which a client can follow without missing any. */
export const Snapshot = z.strictObject({
  now,
  storeId: z.string().describe("the id of the store"),
  seq: z.int().describe("the number of the last event in this store"),
  lastEventId,
  pending: z.array(ApprovalRequest).describe("the unanswered requests, oldest first"),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** One request, its state and its preview. */
export const ShownRequest = z.strictObject({
  now,
  request: ApprovalRequest.describe("the request"),
  status: Status.describe("the state of the request"),
  decision: stateOf.decision,
  presentation: Presentation.nullable().describe("the preview; null if there is none"),
  isPresentationLost: z.boolean().describe("true if a preview exists but could not be made"),
});
export type ShownRequest = z.infer<typeof ShownRequest>;

export const AcceptedAnswer = z.strictObject(stateOf);
export type AcceptedAnswer = z.infer<typeof AcceptedAnswer>;

/** The number of requests that an answer decided. */
export const AnsweredCount = z.strictObject({
  answered: z.int().nonnegative().describe("the number of requests that this answer decided"),
});

/** The reply to event streams of agents. */
export const Ok = z.strictObject({ status: z.literal("ok").describe("always `ok`") });

/** The remembered approvals. */
export const GrantList = z.strictObject({ grants: z.array(Grant).describe("the grants in force") });

/** A grant that was revoked. */
export const Revoked = z.strictObject({ revoked: z.literal(true).describe("always true") });

/** The reason of a refusal. */
export const Problem = z.strictObject({
  error: z
    .strictObject({
      code: z.string().describe("the code of the refusal or error"),
      message: z.string().describe("the reason, in words"),
      hint: z.string().describe("next step"),
    })
    .describe("the reason of the refusal"),
});

/** An answer that came too late, and the earlier answer. */
export const TooLate = Problem.extend(stateOf);

/** A subscriber's notice about missing events: take a snapshot. */
export const Reset = z.strictObject({
  because: z.enum(["gone", "another store"]).describe("why events are missing: deleted, or of another store"),
  lastEventId,
});

/** The named schemas in the description of the routes: sent and answered. */
export const SENT: Readonly<Record<string, z.ZodType>> = {
  Json: JsonData,
  AnswerBody,
  ShortAnswerBody,
  AnswersBody,
};
export const ANSWERED: Readonly<Record<string, z.ZodType>> = {
  Json: JsonData,
  ApprovalRequest,
  Decision: StoredDecision,
  Grant,
  Presentation,
  Snapshot,
  ShownRequest,
  Accepted: AcceptedAnswer,
  Answered: AnsweredCount,
  Ok,
  Grants: GrantList,
  Revoked,
  Problem,
  TooLate,
  Reset,
};
