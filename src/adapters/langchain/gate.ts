import type { ToolMessage } from "@langchain/core/messages";
import type { StructuredTool } from "@langchain/core/tools";
import type { Command } from "@langchain/langgraph";
import { z } from "zod";
import { CofferdamError, visible } from "../../errors.ts";
import type { Json } from "../../policy/canonical-json.ts";
import type { CallClearance } from "../../supervisor/outcome.ts";
import type { ToolCard } from "../../supervisor/tool-cards.ts";
import type { FrameworkCall, FrameworkCalls } from "../framework-calls.ts";
import { decisionFrom, questionFrom } from "./question.ts";
import { messageFrom, toldOf, toolFor } from "./tools.ts";

/** One tool call as a middleware gets it, as far as it is looked at here. */
export interface CallRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string };
  readonly state: { readonly messages: readonly { readonly id?: string | undefined }[] };
  readonly runtime: {
    readonly configurable?: unknown;
    readonly interrupt?: (value: unknown) => unknown;
  };
}

/** Goes on with the call, by this tool. */
export type GoOn = (tool: StructuredTool) => ToolMessage | Command | Promise<ToolMessage | Command>;

/**
 * Brings the calls of one agent through the gate: a call that needs a yes interrupts it, and what it is resumed with
 * answers. Everything here is run again when the agent is resumed, so each step first looks at what is kept.
 */
export class InterruptingGate {
  readonly #calls: FrameworkCalls;
  readonly #by: string;
  /** What calls run by that nobody has to be asked about. */
  readonly #tools: ReadonlyMap<string, { readonly card: ToolCard; readonly tool: StructuredTool }>;

  constructor(calls: FrameworkCalls, by: string, cards: readonly ToolCard[]) {
    this.#calls = calls;
    this.#by = by;
    this.#tools = new Map(cards.map((card) => [card.name, { card, tool: unaskedTool(calls, card) }]));
  }

  tools(): readonly StructuredTool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  /** What becomes of a call; null for a tool that is none of these. Throws `USAGE` where the agent can't be interrupted. */
  async pass({ toolCall, state, runtime }: CallRequest, goOn: GoOn): Promise<ToolMessage | Command | null> {
    const own = this.#tools.get(toolCall.name);
    if (own === undefined) return null;
    const around = Around.parse(runtime.configurable ?? {});
    assertOneByOne(around);
    const { interrupt } = runtime;
    // Without a name the question would not be found again: then those are asked whom the session asks.
    if (toolCall.id === undefined || interrupt === undefined) return goOn(own.tool);
    const call = callFrom(toolCall.name, toolCall.args, toolCall.id, around, state.messages.at(-1)?.id);
    const clearance = await this.#clearance(call, toolCall.id, interrupt);
    switch (clearance.kind) {
      case "allowed":
        return goOn(own.tool);
      case "approved":
        return goOn(await this.#approvedTool(own.card, call, clearance.approvalId));
      case "denied":
      case "pending":
        return messageFrom(toldOf(clearance), toolCall.name, toolCall.id);
    }
  }

  /** Asks until there is an answer to exactly this call. Throws the framework's interrupt where there is none yet. */
  async #clearance(
    call: FrameworkCall,
    toolCallId: string,
    interrupt: (value: unknown) => unknown,
  ): Promise<CallClearance> {
    let problem: string | null = null;
    let isAnswered = false;
    for (;;) {
      const clearance = await this.#calls.clearance(call, isAnswered);
      if (clearance.kind !== "pending") return clearance;
      const { session } = this.#calls;
      const kept = await session.find(clearance.approvalId);
      if (kept === null) return clearance;
      const question = questionFrom(kept.request, toolCallId, problem);
      const answer = await this.#answerBy(interrupt, question, call);
      const read = decisionFrom(answer, question, this.#by);
      if ("problem" in read) {
        problem = read.problem;
        continue;
      }
      // Whoever answered first decides: what came of it is looked at again.
      await session.respond(clearance.approvalId, read.decision, this.#by);
      isAnswered = true;
    }
  }

  /** What the agent was resumed with. Throws the interrupt, or `USAGE` where the agent keeps nothing to resume from. */
  async #answerBy(
    interrupt: (value: unknown) => unknown,
    question: unknown,
    call: FrameworkCall,
  ): Promise<unknown> {
    try {
      return interrupt(question);
    } catch (cause) {
      if (!isWithoutCheckpointer(cause)) throw cause;
      await this.#calls.refuse(call, "nobody can be asked: the agent has no checkpointer");
      throw new CofferdamError(
        "USAGE",
        "an agent without a checkpointer can't be interrupted to ask somebody",
        {
          hint: "give `createAgent` a `checkpointer`, and a `thread_id` to its calls",
          cause,
        },
      );
    }
  }

  /** The tool for one call that somebody said yes to: it runs exactly what was asked about, or what they put in its place. */
  async #approvedTool(
    card: ToolCard,
    { toolCallId }: FrameworkCall,
    approvalId: string,
  ): Promise<StructuredTool> {
    const kept = await this.#calls.session.find(approvalId);
    const edited: Json | undefined =
      kept?.decision?.status === "approved" ? kept.decision.editedInput : undefined;
    return toolFor(
      card,
      (input, _, signal) => this.#calls.runApproved({ tool: card.name, input, toolCallId }, signal),
      edited,
    );
  }
}

/** A tool as it is where nobody is interrupted: the session's own gate stands before every call. */
export function unaskedTool(calls: FrameworkCalls, card: ToolCard): StructuredTool {
  return toolFor(card, (input, toolCallId, signal) =>
    calls.run({ tool: card.name, input, toolCallId }, signal),
  );
}

/** Where in the run of an agent a call stands; what of it is not there is not relied on. */
const Around = z.object({
  thread_id: z.coerce.string().optional(),
  checkpoint_ns: z.string().optional(),
  __pregel_scratchpad: z.object({ currentTaskInput: z.unknown() }).optional().catch(undefined),
});
type Around = z.infer<typeof Around>;

/** Models number their calls as they like: with its conversation and its turn a call has a name of its own. */
function callFrom(
  tool: string,
  input: unknown,
  id: string,
  { thread_id, checkpoint_ns }: Around,
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

/** Where calls share a task, all of them are run again when one of them is answered: also those that have run. */
function assertOneByOne({ __pregel_scratchpad: scratchpad }: Around): void {
  const shared = SharedTask.safeParse(scratchpad?.currentTaskInput).data;
  const count =
    shared?.messages.findLast(({ tool_calls }) => tool_calls !== undefined)?.tool_calls?.length ?? 0;
  if (count < 2) return;
  throw new CofferdamError(
    "USAGE",
    `${visible('version: "v1"')} runs all calls of a turn again when one is answered`,
    {
      hint: 'leave `version` out where the agent is made: "v2" runs each call by itself',
    },
  );
}

function isWithoutCheckpointer(cause: unknown): boolean {
  return cause instanceof Error && "lc_error_code" in cause && cause.lc_error_code === "MISSING_CHECKPOINTER";
}
