import { z } from "zod";
import { NOBODY } from "../../approval/stops.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Json } from "../../policy/canonical-json.ts";
import { type Decision, Note, Scope, Who } from "../../policy/decision.ts";
import { JsonData } from "../../policy/json-data.ts";
import { type ApprovalRequest, GrantedView } from "../../policy/request.ts";
import { Risk } from "../../policy/risk.ts";

/**
 * What an agent is interrupted with: all that a page or a chat needs to ask. Texts and arguments are safe to show: bounded,
 * with secrets hidden. Control characters are not: whoever draws a text makes it visible first.
 */
export const ApprovalQuestion = z
  .strictObject({
    type: z.literal("cofferdam.approval"),
    /** Which question this is: an answer names it. */
    approvalId: z.string(),
    /** What the model calls the call. */
    toolCallId: z.string(),
    tool: z.string(),
    /** What it would do. */
    description: z.string(),
    /** Its arguments, as they may be shown. */
    args: JsonData,
    risk: Risk.nullable(),
    /** Why this is asked. */
    reason: z.string(),
    /** What it could reach after a yes; null for a tool that runs without walls of its own. */
    reach: GrantedView.nullable(),
    /** What a yes for the session would cover, in words; null where only a yes for this call is offered. */
    forSession: z.string().nullable(),
    /** Milliseconds since 1970; null when it waits for ever. */
    expiresAt: z.number().nullable(),
    /** Why the answer that came was none, and this is asked again. */
    problem: z.string().nullable(),
  })
  .readonly();
export type ApprovalQuestion = z.infer<typeof ApprovalQuestion>;

/** What an agent is resumed with. Made by `approve` and `reject`; what is not understood is no answer. */
export const ApprovalAnswer = z
  .discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("approved"),
      approvalId: z.string(),
      scope: Scope,
      by: Who.optional(),
      note: Note.optional(),
      editedInput: JsonData.optional(),
    }),
    z.strictObject({
      status: z.literal("rejected"),
      approvalId: z.string(),
      by: Who.optional(),
      note: Note.optional(),
    }),
  ])
  .readonly();
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** How somebody says yes. */
export interface ApproveOptions {
  /** `session`: also to every call like it until the session ends, where that is offered. */
  readonly scope?: Scope;
  /** Who says so. */
  readonly by?: string;
  readonly note?: string;
  /** What shall run in place of what was asked about. It is judged again. */
  readonly editedInput?: Json;
}

/** The questions of an agent that was interrupted, each under the id that its answer goes to; other interrupts are left out. */
export function questionsOf(result: {
  readonly __interrupt__?: readonly { readonly id?: string; readonly value?: unknown }[];
}): ReadonlyMap<string, ApprovalQuestion> {
  const questions = new Map<string, ApprovalQuestion>();
  for (const { id, value } of result.__interrupt__ ?? []) {
    const question = ApprovalQuestion.safeParse(value);
    if (id !== undefined && question.success) questions.set(id, question.data);
  }
  return questions;
}

/**
 * A yes to exactly this question. Throws `USAGE` for what is no question, for a yes to the session where it is not offered,
 * and for options that there are not.
 */
export function approve(question: unknown, { scope = "once", ...rest }: ApproveOptions = {}): ApprovalAnswer {
  return answerTo(question, { status: "approved", scope, ...rest });
}

/** A no to exactly this question; the model reads the note. Throws `USAGE` for what is no question. */
export function reject(question: unknown, note?: string, by?: string): ApprovalAnswer {
  return answerTo(question, {
    status: "rejected",
    ...(note === undefined ? {} : { note }),
    ...(by === undefined ? {} : { by }),
  });
}

/** A request as it is asked about in an interrupt. */
export function questionFrom(
  request: ApprovalRequest,
  toolCallId: string,
  problem: string | null,
): ApprovalQuestion {
  const { approvalId, tool, description, safeArgs, risk, reason, granted, covers, expiresAt } = request;
  return {
    type: "cofferdam.approval",
    approvalId,
    toolCallId,
    tool,
    description,
    args: safeArgs,
    risk,
    reason,
    reach: granted,
    forSession: covers,
    expiresAt,
    problem,
  };
}

/** What was answered to this question, or why that is no answer to it. `by` stands where it does not say who answered. */
export function decisionFrom(
  given: unknown,
  { approvalId, forSession }: ApprovalQuestion,
  by: string,
): { readonly decision: Decision } | { readonly problem: string } {
  // Nothing that it inherits, from whomever, is an answer.
  const own = typeof given === "object" && given !== null ? { __proto__: null, ...given } : given;
  const answer = ApprovalAnswer.safeParse(own).data;
  if (answer === undefined) return { problem: "what came is no answer: `approve` and `reject` make one" };
  const { approvalId: answered, ...said } = answer;
  // The framework hands what it was resumed with to whichever call asks: that may not be the one that was meant.
  if (answered !== approvalId) return { problem: "the answer that came is to another question" };
  if (said.status === "approved" && said.scope === "session" && forSession === null)
    return { problem: "a yes for the session is not offered here" };
  if (said.by === NOBODY) return { problem: "an answer is by somebody" };
  return { decision: { ...said, by: said.by ?? by } };
}

function answerTo(given: unknown, said: Readonly<Record<string, unknown>>): ApprovalAnswer {
  const question = ApprovalQuestion.safeParse(given).data;
  if (question === undefined)
    throw new CofferdamError("USAGE", "this is no question that can be answered", {
      hint: "take one of `questionsOf(result)`, or the `value` of an interrupt of ours",
    });
  if (said["scope"] === "session" && question.forSession === null)
    throw new CofferdamError("USAGE", `a yes for the session is not offered for ${visible(question.tool)}`, {
      hint: 'answer with `scope: "once"`',
    });
  const answer = ApprovalAnswer.safeParse({ ...said, approvalId: question.approvalId });
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  throw new CofferdamError("USAGE", `this is no answer: ${visible(issue?.message ?? "")}`, {
    hint: "a yes has `scope`, `by`, `note` and `editedInput`; a no has a note, and who says it",
  });
}
