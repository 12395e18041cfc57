import type { ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import type { Command } from "@langchain/langgraph";
import { z } from "zod";
import type { ToolCard } from "../../decide/tool-cards.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { CheckResult } from "../../policy/not-run.ts";
import type { FrameworkCall, FrameworkCalls } from "../framework-calls.ts";
import { decisionFrom, questionFrom } from "./question.ts";
import { messageFrom, messageOf, toolFor } from "./tools.ts";

/** The used fields of a tool call, as a middleware gets it. */
export interface CallRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string };
  readonly state: { readonly messages: readonly { readonly id?: string | undefined }[] };
  readonly runtime: {
    readonly configurable?: unknown;
    readonly interrupt?: (value: unknown) => unknown;
  };
}

/** Continues the call with this tool. */
export type GoOn = (tool: StructuredTool) => ToolMessage | Command | Promise<ToolMessage | Command>;

/** Brings an agent's calls through the gate. All runs again after a resume, so each step first looks at the store. */
export class InterruptingGate {
  readonly #calls: FrameworkCalls;
  readonly #by: string;
  /** The tools that run calls without approval. */
  readonly #tools: ReadonlyMap<string, { readonly card: ToolCard; readonly tool: StructuredTool }>;

  constructor(calls: FrameworkCalls, by: string, cards: readonly ToolCard[]) {
    this.#calls = calls;
    this.#by = by;
    this.#tools = new Map(cards.map((card) => [card.name, { card, tool: unaskedTool(calls, card) }]));
  }

  tools(): readonly StructuredTool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  /** The result of a call; null for a tool that is not ours. Throws `USAGE` if the agent cannot be interrupted. */
  async pass({ toolCall, state, runtime }: CallRequest, goOn: GoOn): Promise<ToolMessage | Command | null> {
    const own = this.#tools.get(toolCall.name);
    if (own === undefined) return null;
    const around = RunPosition.parse(runtime.configurable ?? {});
    assertOneByOne(around);
    const { interrupt } = runtime;
    // Without an id the request could not be found again: then the session's handlers are asked.
    if (toolCall.id === undefined || interrupt === undefined) return goOn(own.tool);
    const call = callFrom(toolCall.name, toolCall.args, toolCall.id, around, state.messages.at(-1)?.id);
    const checked = await this.#check(call, toolCall.id, interrupt);
    switch (checked.kind) {
      case "allowed":
        return goOn(own.tool);
      case "approved":
        return goOn(this.#approvedTool(own.card, call));
      case "denied":
      case "pending":
        return messageFrom(messageOf(checked), toolCall.name, toolCall.id);
    }
  }

  /** Asks until this exact call is answered. Throws the framework's interrupt as long as it is not. */
  async #check(
    call: FrameworkCall,
    toolCallId: string,
    interrupt: (value: unknown) => unknown,
  ): Promise<CheckResult> {
    let problem: string | null = null;
    let isAnswered = false;
    for (;;) {
      const checked = await this.#calls.check(call, isAnswered);
      if (checked.kind !== "pending") return checked;
      const { session } = this.#calls;
      const kept = await session.find(checked.approvalId);
      if (kept === null) return checked;
      const question = questionFrom(kept.request, toolCallId, problem);
      const answer = await this.#answerBy(interrupt, question, call);
      const read = decisionFrom(answer, question, this.#by);
      if ("problem" in read) {
        problem = read.problem;
        continue;
      }
      // The first answer decides: its result is looked up again.
      await session.respond(checked.approvalId, read.decision, this.#by);
      isAnswered = true;
    }
  }

  /** The agent's resume value. Throws the interrupt, or `USAGE` if the agent has no checkpointer. */
  async #answerBy(
    interrupt: (value: unknown) => unknown,
    question: unknown,
    call: FrameworkCall,
  ): Promise<unknown> {
    try {
      return interrupt(question);
    } catch (cause) {
      if (!isWithoutCheckpointer(cause)) throw cause;
      await this.#calls.refuse(call, "no person can be asked: the agent has no checkpointer");
      throw new CofferdamError(
        "USAGE",
        "an agent without a checkpointer can't be interrupted to ask a person",
        {
          hint: "give `createAgent` a `checkpointer`, and a `thread_id` to its calls",
          cause,
        },
      );
    }
  }

  /** The tool for one approved call: it runs exactly the request, or the input that the approver put in its place. */
  #approvedTool(card: ToolCard, { toolCallId }: FrameworkCall): StructuredTool {
    return toolFor(card, (input, _, signal) =>
      this.#calls.runApproved({ tool: card.name, input, toolCallId }, signal),
    );
  }
}

/** A tool that does not interrupt: the session's own gate checks every call. */
export function unaskedTool(calls: FrameworkCalls, card: ToolCard): StructuredTool {
  return toolFor(card, (input, toolCallId, signal) =>
    calls.run({ tool: card.name, input, toolCallId }, signal),
  );
}

/** Position of a call in the run of an agent. Missing parts are not needed. */
const RunPosition = z.object({
  thread_id: z.coerce.string().optional(),
  checkpoint_ns: z.string().optional(),
  __pregel_scratchpad: z.object({ currentTaskInput: z.unknown() }).optional().catch(undefined),
});
type RunPosition = z.infer<typeof RunPosition>;

/** Models reuse ids of calls: with its conversation and its turn a call's id is unique. */
function callFrom(
  tool: string,
  input: unknown,
  id: string,
  { thread_id, checkpoint_ns }: RunPosition,
  turn: string | undefined,
): FrameworkCall {
  const toolCallId = JSON.stringify([thread_id ?? null, checkpoint_ns ?? null, id]);
  const isUnique = thread_id !== undefined;
  return { tool, input, toolCallId, isUnique, ...(turn === undefined ? {} : { groupId: turn }) };
}

/** All calls of a turn in one task. */
const SharedTask = z.object({
  lg_tool_call: z.undefined().optional(),
  messages: z.array(z.object({ tool_calls: z.array(z.unknown()).optional() })),
});

/** Throws `USAGE` if calls share a task: an answer to one runs all of them again, even finished ones. */
function assertOneByOne({ __pregel_scratchpad: scratchpad }: RunPosition): void {
  const shared = SharedTask.safeParse(scratchpad?.currentTaskInput).data;
  const count =
    shared?.messages.findLast(({ tool_calls }) => tool_calls !== undefined)?.tool_calls?.length ?? 0;
  if (count < 2) return;
  throw new CofferdamError(
    "USAGE",
    `${visible('version: "v1"')} runs all calls of a turn again when one is answered`,
    { hint: 'create the agent without `version`: "v2" runs each call separately' },
  );
}

function isWithoutCheckpointer(cause: unknown): boolean {
  return cause instanceof Error && "lc_error_code" in cause && cause.lc_error_code === "MISSING_CHECKPOINTER";
}
