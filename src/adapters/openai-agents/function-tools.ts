import { type FunctionTool, type RunContext, tool } from "@openai/agents";
import { z } from "zod";
import type { SessionOptions } from "../../supervisor/session-options.ts";
import type { ToolCard } from "../../supervisor/tool-cards.ts";
import type { CallsOf, FrameworkCall } from "../framework-calls.ts";
import { type AskedItem, isApprovedFor, type RawItem, type Said, saidToItem } from "./answers.ts";
import { AskedCalls } from "./asked-calls.ts";
import { GatedCalls, told } from "./gated-calls.ts";
import { type HasPart, PART, type Part } from "./part.ts";
import { assertConversation, type InConversation } from "./sdk-tool-options.ts";

/** A tool as the SDK takes it: its schema is a hint to the model, and what it holds to is our own. */
export type CofferdamTool = FunctionTool<unknown, Parameters, string> & HasPart;

/** What the SDK calls a JSON Schema that no model is held to. */
type Parameters = {
  type: "object";
  properties: Record<string, Record<string, unknown>>;
  required: string[];
  additionalProperties: true;
};

/**
 * Every tool of a session, for `new Agent({ tools })`: they do their work behind the gate and inside walls. What needs a yes
 * is an interruption of the run; what is denied the model is told, with the reason. Of a supervisor a session is made, with
 * these options. Throws `USAGE` for options beside a session, but for the conversation.
 */
export function cofferdamTools(
  of: CallsOf,
  { conversation, ...options }: SessionOptions & InConversation = {},
): CofferdamTool[] {
  assertConversation("cofferdamTools", conversation);
  const gated = new GatedCalls(of, conversation, options);
  return gated.tools.map((card) => functionTool(card, gated));
}

function functionTool({ name, description, schema }: ToolCard, gated: GatedCalls): CofferdamTool {
  const asked = new AskedCalls();
  const made = tool<Parameters, unknown, string>({
    name,
    description,
    parameters: parametersOf(schema),
    strict: false,
    // What is thrown here a person has to mend: a model would only try again.
    errorFunction: null,
    isEnabled: ({ runContext, agent }) => asked.begin(runContext, agent),
    needsApproval: async (context, input, callId = "") => {
      const isAnswered = isAskedAgain(asked, context, { name, callId, input });
      const { kind } = await gated.clearance({ tool: name, input, toolCallId: callId }, isAnswered);
      const mustAsk = kind === "pending" || (isAnswered && kind === "denied");
      return asked.tell(context, callId, input, mustAsk);
    },
    execute: async (input, context, details) => {
      const callId = details?.toolCall?.callId ?? "";
      const wasTold = context === undefined ? false : asked.take(context, callId, input);
      // Where the SDK was told that nobody has to be asked, no answer is what let it pass.
      const isAnswered = context !== undefined && wasTold !== false;
      const said = isAnswered ? saidToAny(context, asked.agentsOf(context), name, details?.toolCall) : null;
      const passed = { said, wasAsked: wasTold !== null };
      return told(await gated.make({ tool: name, input, toolCallId: callId }, passed, details?.signal));
    },
  });
  return { ...made, [PART]: new FunctionPart(name, gated) };
}

/**
 * After a resume the SDK asks about what was approved too, and makes the call whatever is said: then nothing is asked anew. It
 * does not tell whose call it is: where one agent's was approved and another's was not, one that is new was not approved.
 */
function isAskedAgain(
  asked: AskedCalls,
  context: RunContext,
  { name, callId, input }: { name: string; callId: string; input: unknown },
): boolean {
  const agents = asked.agentsOf(context);
  const approved = agents.filter((agent) => isApprovedFor(context, name, callId, agent));
  return approved.length > 0 && (approved.length === agents.length || !asked.isNew(context, callId, input));
}

/** What was said to exactly this call, which the SDK let pass by an answer: that of one of these agents. */
function saidToAny(
  context: RunContext,
  agents: readonly AskedItem["agent"][],
  name: string,
  rawItem: RawItem | undefined,
): Said {
  const all =
    rawItem === undefined ? [] : agents.map((agent) => saidToItem(context, { agent, rawItem, name }));
  return all.find((said) => said === "yes") ?? all.find((said) => said === "always") ?? null;
}

class FunctionPart implements Part {
  readonly #name: string;
  readonly gated: GatedCalls;

  constructor(name: string, gated: GatedCalls) {
    this.#name = name;
    this.gated = gated;
  }

  async callsOf(item: RawItem): Promise<readonly FrameworkCall[]> {
    if (item.type !== "function_call") return [];
    const input = inputOf(item.arguments);
    return input === undefined ? [] : [{ tool: this.#name, input, toolCallId: item.callId }];
  }

  note(): void {
    // The SDK tells whoever makes the call which it is.
  }
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const Schema = z.looseObject({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).default([]),
});

function parametersOf(schema: ToolCard["schema"]): Parameters {
  const { properties, required } = Schema.parse(schema ?? {});
  return { type: "object", properties, required, additionalProperties: true };
}
