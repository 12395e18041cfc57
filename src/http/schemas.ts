import { z } from "zod";
import { Note, Scope } from "../policy/decision.ts";
import { Grant } from "../policy/grant.ts";
import { JsonData } from "../policy/json-data.ts";
import { Presentation } from "../policy/presentation.ts";
import { ApprovalRequest } from "../policy/request.ts";

/** Half characters can't be kept by every store. */
const WholeNote = Note.refine((text) => text.isWellFormed(), { error: "holds half a character" });

/** An answer: yes or no. `remember` says what `scope` says, `reason` what `note` says. */
export const AnswerBody = z.strictObject({
  approved: z.boolean(),
  /** Of a yes: once, or for the session. */
  scope: Scope.optional(),
  remember: z.literal("session").nullish(),
  note: WholeNote.nullish(),
  reason: WholeNote.nullish(),
  /** Of a yes: what shall run in place of what was asked about. It is judged again. */
  editedInput: JsonData.optional(),
});
export type AnswerBody = z.infer<typeof AnswerBody>;

/** The same as event streams of agents send it. */
export const ShortAnswerBody = z.strictObject({
  approved: z.boolean().default(false),
  always: z.boolean().default(false),
  reason: WholeNote.default(""),
});

/** Which requests are meant; every part that is given must agree, and one is. */
const Meant = z
  .strictObject({
    runId: z.string().exactOptional(),
    sessionId: z.string().exactOptional(),
    groupId: z.string().exactOptional(),
  })
  .refine((filter) => Object.keys(filter).length > 0, { error: "names no run, session or group" });

/**
 * One answer to several. A no is for all that wait now; a yes for those alone that are named, for others may have come
 * since somebody looked.
 */
export const AnswersBody = z.discriminatedUnion("approved", [
  z.strictObject({ filter: Meant, approved: z.literal(false), note: WholeNote.nullish() }),
  z.strictObject({
    filter: Meant,
    approved: z.literal(true),
    seen: z.array(z.string()).min(1).max(1_000),
    note: WholeNote.nullish(),
  }),
]);
export type AnswersBody = z.infer<typeof AnswersBody>;

/** Where a request is in its life. */
export const Status = z.enum(["pending", "approved", "rejected", "expired", "executing", "done", "failed"]);

/** What was answered. What shall run instead of what was asked about stays with whoever runs it. */
const Told = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("approved"),
    scope: Scope,
    by: z.string(),
    note: z.string().nullable(),
    isEdited: z.boolean(),
  }),
  z.strictObject({ status: z.literal("rejected"), by: z.string(), note: z.string().nullable() }),
  z.strictObject({ status: z.literal("expired") }),
]);
export type Told = z.infer<typeof Told>;

const clock = {
  /** Milliseconds since 1970, by the clock that `expiresAt` is by. */
  now: z.number(),
};

/** All that waits, and the event behind which whoever follows the events from here on misses nothing. */
export const Snapshot = z.strictObject({
  ...clock,
  storeId: z.string(),
  seq: z.int(),
  /** Both, as `Last-Event-ID` and `?after=` take it. */
  lastEventId: z.string(),
  pending: z.array(ApprovalRequest),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** One request, where it is in its life, and what to look at. */
export const ShownRequest = z.strictObject({
  ...clock,
  request: ApprovalRequest,
  status: Status,
  decision: Told.nullable(),
  presentation: Presentation.nullable(),
  /** There is something to look at, and it could not be drawn. */
  isPresentationLost: z.boolean(),
});
export type ShownRequest = z.infer<typeof ShownRequest>;

/** An answer counted, and what it was taken for. */
export const Accepted = z.strictObject({ status: Status.nullable(), decision: Told.nullable() });
export type Accepted = z.infer<typeof Accepted>;

/** How many requests an answer decided. */
export const Answered = z.strictObject({ answered: z.int().nonnegative() });

/** What event streams of agents are answered. */
export const Ok = z.strictObject({ status: z.literal("ok") });

/** What is remembered. */
export const Grants = z.strictObject({ grants: z.array(Grant) });

/** A grant counts no more. */
export const Revoked = z.strictObject({ revoked: z.literal(true) });

/** Why a request was refused. */
export const Problem = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string() }),
});

/** An answer that came too late, and what was answered before. */
export const TooLate = Problem.extend({ status: Status.nullable(), decision: Told.nullable() });

/** What a subscriber is told in place of events that it can't be given: take a snapshot. */
export const Reset = z.strictObject({ because: z.enum(["gone", "another store"]), lastEventId: z.string() });

/** What the description of the routes names, by its name: what is sent, and what is answered. */
export const SENT: Readonly<Record<string, z.ZodType>> = {
  Json: JsonData,
  AnswerBody,
  ShortAnswerBody,
  AnswersBody,
};
export const ANSWERED: Readonly<Record<string, z.ZodType>> = {
  Json: JsonData,
  ApprovalRequest,
  Decision: Told,
  Grant,
  Presentation,
  Snapshot,
  ShownRequest,
  Accepted,
  Answered,
  Ok,
  Grants,
  Revoked,
  Problem,
  TooLate,
  Reset,
};
