import { createHash } from "node:crypto";
import {
  type JSONSchema7,
  jsonSchema,
  type ModelMessage,
  type Tool,
  type ToolApprovalStatus,
  type ToolExecutionOptions,
} from "ai";
import { z } from "zod";
import type { ToolResult } from "../../approval/tool-outcome.ts";
import { toolResult } from "../../call/tool-result.ts";
import type { ToolCard } from "../../decide/tool-cards.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { denied, type NotRun } from "../../policy/not-run.ts";
import type { FrameworkCall, FrameworkCalls } from "../framework-calls.ts";
import { type AnsweredCall, answersIn, openIn, stateOf, withAnswers } from "./answers.ts";
import type { MadeCall } from "./history.ts";
import { denialText, modelOutput } from "./model-output.ts";
import { OVERTAKEN, type OvertakenCall, overtakenIn, withDenials } from "./overtaken.ts";
import { ModelStep } from "./step.ts";

type Denied = Extract<NotRun, { readonly kind: "denied" }>;

/** The calls of conversations, each compared with its messages. */
export class AiSdkGate {
  readonly #calls: FrameworkCalls;
  readonly #cards: ReadonlyMap<string, ToolCard>;
  readonly #conversation: string | undefined;
  /** The calls of one step come with the same messages. */
  readonly #steps = new WeakMap<object, ModelStep>();

  /** The keys of `cards` are the names that the model knows. */
  constructor(calls: FrameworkCalls, cards: ReadonlyMap<string, ToolCard>, conversation: string | undefined) {
    this.#calls = calls;
    this.#cards = cards;
    this.#conversation = conversation;
  }

  tools(): Record<string, Tool<unknown, ToolResult>> {
    return Object.fromEntries([...this.#cards].map(([name, card]) => [name, this.#tool(name, card)]));
  }

  async status(made: MadeCall, messages: readonly ModelMessage[]): Promise<ToolApprovalStatus> {
    const step = this.#stepOf(messages);
    const settled = this.withDenials(messages);
    const state = step.hasOther(made) ? MIXED : stateOf(made, settled);
    if (!this.#cards.has(made.tool)) return undefined;
    if (state.kind === "mixed" || state.kind === "unasked")
      return { type: "denied", reason: denialText(WHY_NOT[state.kind]) };
    const answer = state.kind === "answered" ? state.answer : null;
    if (answer?.isYes === false)
      return { type: "denied", ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
    if (answer !== null) assertAllAnswered(settled);
    const call = this.#callOf(made, state.said);
    if (call === null) return undefined;
    const checked = await this.#calls.check({ ...call, groupId: step.groupId }, answer !== null);
    switch (checked.kind) {
      // Nobody was asked, so the conversation holds nothing about it: the journal does.
      case "allowed":
        return undefined;
      case "denied":
        return { type: "denied", reason: denialText(checked) };
      case "approved":
        if (!isTheirs(answer)) step.approve(made, checked.approvalId);
        return { type: "approved", reason: "approved elsewhere" };
      case "pending":
        // After an answer only a denial is followed.
        if (answer === null) return { type: "user-approval", reason: checked.reason };
        return isTheirs(answer) ? undefined : { type: "denied", reason: denialText(WHY_NOT.unasked) };
    }
  }

  /**
   * Records rejections, and withdraws the requests of calls that another message of the user overtook. Returns the
   * messages with a denial as the result of each of these calls.
   */
  async settle(messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]> {
    const noes = answersIn(messages).filter((answer) => isTheirs(answer) && !answer.isYes);
    await Promise.all(
      noes.map(async ({ call: asked, reason }) => {
        const call = this.#callOf(asked, asked.said);
        if (call !== null) await this.#calls.refuse(call, reason);
      }),
    );
    await Promise.all(
      overtakenIn(messages, this.#isOurs)
        .filter(({ isRenamed }) => !isRenamed)
        .map((one) => this.#withdraw(one)),
    );
    return this.withDenials(messages);
  }

  /** The messages with a denial as the result of each call that another message of the user overtook. */
  withDenials(messages: readonly ModelMessage[]): readonly ModelMessage[] {
    return withDenials(messages, this.#isOurs);
  }

  readonly #isOurs = (tool: string): boolean => this.#cards.has(tool);

  async #withdraw(overtaken: OvertakenCall): Promise<void> {
    const { answer, said } = overtaken;
    const call = this.#callOf(overtaken, said);
    if (call === null) return;
    if (answer?.isYes === false) await this.#calls.refuse(call, answer.reason);
    else await this.#calls.drop(call, OVERTAKEN);
  }

  async answered(messages: readonly ModelMessage[]): Promise<ModelMessage[] | null> {
    const found: AnsweredCall[] = [];
    const settled = this.withDenials(messages);
    for (const asked of openIn(settled)) {
      const call = this.#callOf(asked, asked.said);
      if (call === null) return null;
      const checked = await this.#calls.check(call, true);
      if (checked.kind === "pending") return null;
      const isYes = checked.kind !== "denied";
      found.push({ call: asked, isYes, reason: isYes ? undefined : denialText(checked) });
    }
    return [...(found.length === 0 ? settled : withAnswers(settled, found))];
  }

  #tool(name: string, { description, schema }: ToolCard): Tool<unknown, ToolResult> {
    return {
      description,
      inputSchema: jsonSchema(JsonSchema.parse(schema ?? ANY_ARGUMENTS)),
      execute: (input, options) => this.#run({ tool: name, input, toolCallId: options.toolCallId }, options),
      toModelOutput: ({ output }) => modelOutput(output),
    };
  }

  async #run(
    made: MadeCall,
    { messages, abortSignal }: Pick<ToolExecutionOptions<unknown>, "messages" | "abortSignal">,
  ): Promise<ToolResult> {
    const step = this.#stepOf(messages);
    const state = step.hasOther(made) ? MIXED : stateOf(made, this.withDenials(messages));
    if (state.kind === "mixed" || state.kind === "unasked") return toolResult(WHY_NOT[state.kind]);
    const call = this.#callOf(made, state.said);
    if (call === null) throw new CofferdamError("INTERNAL", `unknown tool ${visible(made.tool)}`);
    const answer = state.kind === "answered" ? state.answer : null;
    const outcome =
      isTheirs(answer) && answer.isYes
        ? await this.#calls.runApproved(call, abortSignal, { approved: true, reason: answer.reason ?? null })
        : await this.#calls.run(call, abortSignal, step.take(made));
    return toolResult(outcome);
  }

  /** Our call; null for other tools. Models reuse ids, so ours include the app's conversation id or user messages. */
  #callOf({ tool, input, toolCallId }: MadeCall, said: readonly string[]): FrameworkCall | null {
    const card = this.#cards.get(tool);
    if (card === undefined) return null;
    const name = JSON.stringify([this.#conversation ?? said, toolCallId]);
    return { tool: card.name, input, toolCallId: createHash("sha256").update(name).digest("hex") };
  }

  #stepOf(messages: object): ModelStep {
    const step = this.#steps.get(messages) ?? new ModelStep();
    this.#steps.set(messages, step);
    return step;
  }
}

const ANY_ARGUMENTS = { type: "object", properties: {}, additionalProperties: true };
const JsonSchema = z.custom<JSONSchema7>((given) => typeof given === "object" && given !== null);

const MIXED = { kind: "mixed" } as const;

const WHY_NOT: Readonly<Record<"mixed" | "unasked", Denied>> = {
  mixed: denied("approval", "another call has the same id, so an answer could be for either", {
    hint: "repeat the call with another id",
  }),
  unasked: denied("approval", "the call needs approval, but no person was asked", {
    hint: "repeat the call, so that a person is asked",
  }),
};

/** True for an answer by the sender of the messages, and not by the framework or us. */
function isTheirs(answer: AnsweredCall | null): answer is AnsweredCall {
  return answer !== null && !answer.call.isAutomatic;
}

/** Throws unless all are answered: else the framework runs the approved call, throws, and its result is lost. */
function assertAllAnswered(messages: readonly ModelMessage[]): void {
  const open = openIn(messages);
  if (open.length === 0) return;
  const names = open.map(({ tool, toolCallId }) => `${visible(toolCallId)} (${visible(tool)})`).join(", ");
  throw new CofferdamError("USAGE", `unanswered calls: ${names}`, {
    hint: "answer each call of the turn first; `answered(messages)` adds the answers from other channels",
  });
}
