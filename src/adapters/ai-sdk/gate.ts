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
import { CofferdamError, visible } from "../../errors.ts";
import type { Stopped } from "../../supervisor/outcome.ts";
import type { ToolCard } from "../../supervisor/tool-cards.ts";
import { toolResult } from "../../supervisor/tool-result.ts";
import type { FrameworkCall, FrameworkCalls } from "../framework-calls.ts";
import { type Answered, answersIn, openIn, standingOf, withAnswers } from "./answers.ts";
import type { MadeCall } from "./history.ts";
import { denialText, modelOutput } from "./model-output.ts";
import { Step } from "./step.ts";

type Denied = Extract<Stopped, { readonly kind: "denied" }>;

/** The calls of conversations, each held against what its messages say. */
export class AiSdkGate {
  readonly #calls: FrameworkCalls;
  readonly #cards: ReadonlyMap<string, ToolCard>;
  readonly #conversation: string | undefined;
  /** Calls of one step come with the same messages. */
  readonly #steps = new WeakMap<object, Step>();

  /** The cards are by the names that the model knows. */
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
    const standing = step.hasOther(made) ? MIXED : standingOf(made, messages);
    if (!this.#cards.has(made.tool)) return undefined;
    if (standing.kind === "mixed" || standing.kind === "unasked")
      return { type: "denied", reason: denialText(WHY_NOT[standing.kind]) };
    const answer = standing.kind === "answered" ? standing.answer : null;
    if (answer?.isYes === false)
      return { type: "denied", ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
    if (answer !== null) assertAllAnswered(messages);
    const call = this.#callOf(made, standing.said);
    if (call === null) return undefined;
    const clearance = await this.#calls.clearance({ ...call, groupId: step.groupId }, answer !== null);
    switch (clearance.kind) {
      // Nobody was asked, so the conversation says nothing of it: the journal does.
      case "allowed":
        return undefined;
      case "denied":
        return { type: "denied", reason: denialText(clearance) };
      case "approved":
        if (!isTheirs(answer)) step.approve(made, clearance.approvalId);
        return { type: "approved", reason: "approved elsewhere" };
      case "pending":
        // On the way back only a denial is heard.
        if (answer === null) return { type: "user-approval", reason: clearance.reason };
        return isTheirs(answer) ? undefined : { type: "denied", reason: WHY_NOT.unasked.reason };
    }
  }

  async settle(messages: readonly ModelMessage[]): Promise<void> {
    const noes = answersIn(messages).filter((answer) => isTheirs(answer) && !answer.isYes);
    await Promise.all(
      noes.map(async ({ call: asked, reason }) => {
        const call = this.#callOf(asked, asked.said);
        if (call !== null) await this.#calls.refuse(call, reason);
      }),
    );
  }

  async answered(messages: readonly ModelMessage[]): Promise<ModelMessage[] | null> {
    const found: Answered[] = [];
    for (const asked of openIn(messages)) {
      const call = this.#callOf(asked, asked.said);
      if (call === null) return null;
      const clearance = await this.#calls.clearance(call, true);
      if (clearance.kind === "pending") return null;
      const isYes = clearance.kind !== "denied";
      found.push({ call: asked, isYes, reason: isYes ? undefined : denialText(clearance) });
    }
    return [...(found.length === 0 ? messages : withAnswers(messages, found))];
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
    const standing = step.hasOther(made) ? MIXED : standingOf(made, messages);
    if (standing.kind === "mixed" || standing.kind === "unasked") return toolResult(WHY_NOT[standing.kind]);
    const call = this.#callOf(made, standing.said);
    if (call === null) throw new CofferdamError("INTERNAL", `a tool ${visible(made.tool)} was not given`);
    const answer = standing.kind === "answered" ? standing.answer : null;
    const outcome =
      isTheirs(answer) && answer.isYes
        ? await this.#calls.runApproved(call, abortSignal, { approved: true, reason: answer.reason ?? null })
        : await this.#calls.run(call, abortSignal, step.take(made));
    return toolResult(outcome);
  }

  /**
   * Null for a tool that is none of ours: others may stand beside them. Models call their calls the same in one conversation as
   * in another, so the name has the conversation in it: as the app calls it, or by what users had said in it.
   */
  #callOf({ tool, input, toolCallId }: MadeCall, said: readonly string[]): FrameworkCall | null {
    const card = this.#cards.get(tool);
    if (card === undefined) return null;
    const name = JSON.stringify([this.#conversation ?? said, toolCallId]);
    return { tool: card.name, input, toolCallId: createHash("sha256").update(name).digest("hex") };
  }

  #stepOf(messages: object): Step {
    const step = this.#steps.get(messages) ?? new Step();
    this.#steps.set(messages, step);
    return step;
  }
}

const ANY_ARGUMENTS = { type: "object", properties: {}, additionalProperties: true };
const JsonSchema = z.custom<JSONSchema7>((given) => typeof given === "object" && given !== null);

const MIXED = { kind: "mixed" } as const;

const WHY_NOT: Readonly<Record<"mixed" | "unasked", Denied>> = {
  mixed: whyNot(
    "another call has the same id, so nobody can tell which of them an answer is for",
    "make it again under an id of its own",
  ),
  unasked: whyNot(
    "nobody was asked about this call, and a person has to be",
    "make it again, so that somebody is asked",
  ),
};

/** A denial whose way out the model reads with its reason. */
function whyNot(why: string, hint: string): Denied {
  return { kind: "denied", code: "APPROVAL_DENIED", reason: `${why}: ${hint}`, hint };
}

/** What whoever sends messages said, and not what the framework or we put in its place. */
function isTheirs(answer: Answered | null): answer is Answered {
  return answer !== null && !answer.call.isAutomatic;
}

/**
 * The framework runs what was approved, then finds that another call has no answer, throws, and the result is lost: nothing
 * runs before all are answered.
 */
function assertAllAnswered(messages: readonly ModelMessage[]): void {
  const open = openIn(messages);
  if (open.length === 0) return;
  const names = open.map(({ tool, toolCallId }) => `${visible(toolCallId)} (${visible(tool)})`).join(", ");
  throw new CofferdamError("USAGE", `nobody has answered ${names}`, {
    hint: "go on when each call of the turn has its answer in the last message; `answered(messages)` brings those from elsewhere",
  });
}
