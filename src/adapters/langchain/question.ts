import { z } from "zod";
import { NOBODY } from "../../approval/nobody.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Json } from "../../policy/canonical-json.ts";
import { type Decision, Note, Scope, Who } from "../../policy/decision.ts";
import { ExactJson, JsonData } from "../../policy/json-data.ts";
import { type ApprovalRequest, GrantedView } from "../../policy/request.ts";
import { Risk } from "../../policy/risk.ts";

/**
 * Value of an agent's interrupt: all that a page or a chat needs to ask. Texts and arguments are bounded, with secrets
 * hidden. They may hold control characters: make a text visible before you draw it.
 */
export const ApprovalQuestion = z
  .strictObject({
    type: z.literal("cofferdam.approval"),
    /** Id of the request: an answer names it. */
    approvalId: z.string(),
    /** The model's id of the call. */
    toolCallId: z.string(),
    tool: z.string(),
    /** Name of the agent that calls, if it has one. */
    agent: z.string().exactOptional(),
    /** The folder of the config. */
    project: z.string().exactOptional(),
    /** The folder that the call starts in, if it starts a program. */
    folder: z.string().exactOptional(),
    /** Id of the session that the call belongs to. */
    sessionId: z.string().exactOptional(),
    /** Description of the call. */
    description: z.string(),
    /** The displayable arguments. */
    args: JsonData,
    risk: Risk.nullable(),
    /** Reason for asking. */
    reason: z.string(),
    /** Its access after an approval; null for a tool without a sandbox of its own. */
    reach: GrantedView.nullable(),
    /** The access of a session approval, in words; null if only this call can be approved. */
    forSession: z.string().nullable(),
    /** Milliseconds since 1970; null if it waits for ever. */
    expiresAt: z.number().nullable(),
    /** Why the previous answer was invalid and this is asked again. */
    problem: z.string().nullable(),
  })
  .readonly();
export type ApprovalQuestion = z.infer<typeof ApprovalQuestion>;

/** The value to resume an agent with. Made by `approve` and `reject`; other values are not accepted. */
export const ApprovalAnswer = z
  .discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("approved"),
      approvalId: z.string(),
      scope: Scope,
      by: Who.optional(),
      note: Note.optional(),
      editedInput: ExactJson.optional(),
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

/** Options of an approval. */
export interface ApproveOptions {
  /** `session` also approves every call like it until the session ends, if that is offered. */
  readonly scope?: Scope;
  /** The name of the approver. */
  readonly by?: string;
  readonly note?: string;
  /** Input that replaces the one asked about. It is checked again. */
  readonly editedInput?: Json;
}

/** The requests of an interrupted agent, by the interrupt id for their answer. Other interrupts are left out. */
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
 * An approval of exactly this request. Throws `USAGE` for an invalid request, for a session approval that is not
 * offered, and for unknown options.
 */
export function approve(question: unknown, { scope = "once", ...rest }: ApproveOptions = {}): ApprovalAnswer {
  return answerTo(question, { status: "approved", scope, ...rest });
}

/** A rejection of exactly this request; the model reads the note. Throws `USAGE` for an invalid request. */
export function reject(question: unknown, note?: string, by?: string): ApprovalAnswer {
  return answerTo(question, {
    status: "rejected",
    ...(note === undefined ? {} : { note }),
    ...(by === undefined ? {} : { by }),
  });
}

/** A request as the value of an interrupt. */
export function questionFrom(
  request: ApprovalRequest,
  toolCallId: string,
  problem: string | null,
): ApprovalQuestion {
  const { approvalId, tool, agent, sessionId, description, safeArgs, risk, reason, granted, covers } =
    request;
  const { project, folder, expiresAt } = request;
  return {
    type: "cofferdam.approval",
    approvalId,
    toolCallId,
    tool,
    ...(agent === null ? {} : { agent }),
    ...(project === undefined ? {} : { project }),
    ...(folder === undefined ? {} : { folder }),
    sessionId,
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

/** The decision on this request, or why the value is no answer to it. `by` is the answerer if none is named. */
export function decisionFrom(
  given: unknown,
  { approvalId, forSession }: ApprovalQuestion,
  by: string,
): { readonly decision: Decision } | { readonly problem: string } {
  // Inherited properties are no answer.
  const own = typeof given === "object" && given !== null ? { __proto__: null, ...given } : given;
  const answer = ApprovalAnswer.safeParse(own).data;
  if (answer === undefined)
    return { problem: "the resume value is not an answer: `approve` and `reject` make one" };
  const { approvalId: answered, ...said } = answer;
  // The framework passes the resume value to any call that asks: maybe not to the one that it is for.
  if (answered !== approvalId) return { problem: "the answer is for another request" };
  if (said.status === "approved" && said.scope === "session" && forSession === null)
    return { problem: "approval for the session is not available here" };
  if (said.by === NOBODY) return { problem: "the answer has no name in `by`" };
  return { decision: { ...said, by: said.by ?? by } };
}

function answerTo(given: unknown, said: Readonly<Record<string, unknown>>): ApprovalAnswer {
  const question = ApprovalQuestion.safeParse(given).data;
  if (question === undefined)
    throw new CofferdamError("USAGE", "the value is not an approval request", {
      hint: "pass one of `questionsOf(result)`, or the `value` of an interrupt of cofferdam",
    });
  if (said["scope"] === "session" && question.forSession === null)
    throw new CofferdamError(
      "USAGE",
      `approval for the session is not available for ${visible(question.tool)}`,
      { hint: 'answer with `scope: "once"`' },
    );
  const answer = ApprovalAnswer.safeParse({ ...said, approvalId: question.approvalId });
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  throw new CofferdamError("USAGE", `invalid answer: ${visible(issue?.message ?? "")}`, {
    hint: "an approval has `scope`, `by`, `note` and `editedInput`; a rejection has `by` and `note`",
  });
}
