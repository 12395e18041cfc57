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
import type { Session } from "../../supervisor/session.ts";
import type { ToolCard } from "../../supervisor/tool-cards.ts";
import { toolResult } from "../../supervisor/tool-result.ts";
import { type CallsOf, type FrameworkCall, FrameworkCalls } from "../framework-calls.ts";
import { type Answered, answersIn, openIn, withAnswers } from "./answers.ts";
import { denialText, modelOutput } from "./model-output.ts";
import { namedCards } from "./names.ts";

/** Which tools a model gets, under which names, and who answers for the app. */
export interface CofferdamToolsOptions {
  /** The names of the tools to take; without it, all that the session has. */
  readonly only?: readonly string[];
  /** Stands before the name of each tool, as the model knows it. */
  readonly prefix?: string;
  /** Who answers in the app, as the record names them: whoever is signed in. */
  readonly by?: string;
}

/** A call as `toolApproval` gets it. */
export interface ApprovalCheck {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
  readonly messages: readonly ModelMessage[];
}

/** A step as `prepareStep` gets it. */
export interface StepBegun {
  readonly stepNumber: number;
  readonly initialMessages: readonly ModelMessage[];
}

/**
 * Tools of a session for `generateText`, `streamText` and agents: `{ tools, toolApproval, prepareStep }` go there as they are.
 */
export interface CofferdamTools extends AsyncDisposable {
  readonly tools: Record<string, Tool<unknown, ToolResult>>;
  /** Whether the framework has to ask; on the way back from a person, whether their yes still holds. */
  readonly toolApproval: (check: ApprovalCheck) => Promise<ToolApprovalStatus>;
  /** Writes down who was answered no, which the framework tells nobody else. It changes nothing of the step. */
  readonly prepareStep: (step: StepBegun) => Promise<undefined>;
  /** The same for those who prepare steps by themselves, or end a conversation with a no. */
  readonly settle: (messages: readonly ModelMessage[]) => Promise<void>;
  /**
   * The messages with what was answered elsewhere, in the inbox, a chat or on the command line: ready to go on with. Null as
   * long as nobody has answered one of the questions in them.
   */
  readonly answered: (messages: readonly ModelMessage[]) => Promise<ModelMessage[] | null>;
  /** What makes the calls. It is its own where a supervisor was given, and ends with it. */
  readonly session: Session;
}

/**
 * The tools of a session, or of a new one, for the AI SDK. A call that needs a yes becomes the framework's own approval
 * request, and is a question in the store at once: whoever answers first decides. Throws `USAGE` for a name in `only` that
 * no tool has.
 */
export function cofferdamTools(of: CallsOf, options: CofferdamToolsOptions = {}): CofferdamTools {
  const { only, prefix = "", by = "ai-sdk" } = options;
  const calls = new FrameworkCalls(of, by);
  const cards = namedCards(calls.session.tools(), prefix, only);
  const gate = new AiSdkGate(calls, cards);
  return {
    tools: Object.fromEntries([...cards].map(([name, card]) => [name, gate.tool(card)])),
    toolApproval: (check) => gate.status(check),
    prepareStep: async ({ stepNumber, initialMessages }) => {
      if (stepNumber === 0) await gate.settle(initialMessages);
      return undefined;
    },
    settle: (messages) => gate.settle(messages),
    answered: (messages) => gate.answered(messages),
    session: calls.session,
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}

class AiSdkGate {
  readonly #calls: FrameworkCalls;
  readonly #cards: ReadonlyMap<string, ToolCard>;
  /** Calls that somebody approved elsewhere, and by which id they run. */
  readonly #approved = new Map<string, string>();
  /** Calls of one step come with the same messages: the first of them names the group. */
  readonly #groups = new WeakMap<object, string>();

  constructor(calls: FrameworkCalls, cards: ReadonlyMap<string, ToolCard>) {
    this.#calls = calls;
    this.#cards = cards;
  }

  tool({ name, description, schema }: ToolCard): Tool<unknown, ToolResult> {
    return {
      description,
      inputSchema: jsonSchema(JsonSchema.parse(schema ?? ANY_ARGUMENTS)),
      execute: (input, options) => this.#run({ tool: name, input, toolCallId: options.toolCallId }, options),
      toModelOutput: ({ output }) => modelOutput(output),
    };
  }

  async status({ toolCall, messages }: ApprovalCheck): Promise<ToolApprovalStatus> {
    const call = this.#callOf(toolCall.toolName, toolCall);
    if (call === null) return undefined;
    const answer = answerTo(call, messages);
    if (answer?.isYes === false)
      return { type: "denied", ...(answer.reason === undefined ? {} : { reason: answer.reason }) };
    if (answer !== null) assertAllAnswered(messages);
    const groupId = this.#groups.get(messages) ?? call.toolCallId;
    this.#groups.set(messages, groupId);
    const clearance = await this.#calls.clearance({ ...call, groupId }, answer !== null);
    switch (clearance.kind) {
      // Nobody was asked, so the conversation says nothing of it: the journal does.
      case "allowed":
        return undefined;
      case "denied":
        return { type: "denied", reason: denialText(clearance) };
      case "approved":
        if (!isTheirs(answer)) this.#approved.set(call.toolCallId, clearance.approvalId);
        return { type: "approved", reason: "approved elsewhere" };
      case "pending":
        // On the way back only a denial is heard.
        if (answer === null) return { type: "user-approval", reason: clearance.reason };
        return isTheirs(answer)
          ? undefined
          : { type: "denied", reason: "nobody was asked about this call, and a person has to be" };
    }
  }

  async settle(messages: readonly ModelMessage[]): Promise<void> {
    const said = answersIn(messages).filter((answer) => isTheirs(answer) && !answer.isYes);
    await Promise.all(
      said.map(async ({ call: { tool, toolCallId, input }, reason }) => {
        const call = this.#callOf(tool, { toolCallId, input });
        if (call !== null) await this.#calls.refuse(call, reason);
      }),
    );
  }

  async answered(messages: readonly ModelMessage[]): Promise<ModelMessage[] | null> {
    const found: Answered[] = [];
    for (const asked of openIn(messages)) {
      const call = this.#callOf(asked.tool, asked);
      if (call === null) return null;
      const clearance = await this.#calls.clearance(call, true);
      if (clearance.kind === "pending") return null;
      const isYes = clearance.kind !== "denied";
      found.push({ call: asked, isYes, reason: isYes ? undefined : denialText(clearance) });
    }
    return [...(found.length === 0 ? messages : withAnswers(messages, found))];
  }

  async #run(
    call: FrameworkCall,
    { messages, abortSignal }: Pick<ToolExecutionOptions<unknown>, "messages" | "abortSignal">,
  ): Promise<ToolResult> {
    const answer = answerTo(call, messages);
    const approvalId = this.#approved.get(call.toolCallId);
    this.#approved.delete(call.toolCallId);
    const isTheirYes = isTheirs(answer) && answer?.isYes === true;
    const outcome = isTheirYes
      ? await this.#calls.runApproved(call, abortSignal, { approved: true, reason: answer.reason ?? null })
      : await this.#calls.run(call, abortSignal, approvalId);
    return toolResult(outcome);
  }

  /** Null for a tool that is none of ours: others may stand beside them. */
  #callOf(
    name: string,
    { toolCallId, input }: { readonly toolCallId: string; readonly input: unknown },
  ): FrameworkCall | null {
    const card = this.#cards.get(name);
    return card === undefined ? null : { tool: card.name, input, toolCallId };
  }
}

const ANY_ARGUMENTS = { type: "object", properties: {}, additionalProperties: true };
const JsonSchema = z.custom<JSONSchema7>((given) => typeof given === "object" && given !== null);

function answerTo({ toolCallId }: FrameworkCall, messages: readonly ModelMessage[]): Answered | null {
  return answersIn(messages).find(({ call }) => call.toolCallId === toolCallId) ?? null;
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
