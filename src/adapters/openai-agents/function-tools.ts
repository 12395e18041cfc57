import { type FunctionTool, type RunContext, tool } from "@openai/agents";
import { z } from "zod";
import type { SessionOptions } from "../../call/session-options.ts";
import type { ToolCard } from "../../decide/tool-cards.ts";
import type { CallsOf, FrameworkCall } from "../framework-calls.ts";
import { type AskedItem, isApprovedFor, type RawItem, type SdkAnswer, saidToItem } from "./answers.ts";
import { AskedCalls } from "./asked-calls.ts";
import { GatedCalls, outcomeText } from "./gated-calls.ts";
import { type HasPart, PART, type SdkToolPart } from "./part.ts";
import { assertConversation, type InConversation } from "./sdk-tool-options.ts";

/** A tool for the SDK. Its schema is only a hint to the model: our own check is binding. */
export type CofferdamTool = FunctionTool<unknown, LooseParameters, string> & HasPart;

/** The SDK's type of a JSON Schema that is not enforced. */
export type LooseParameters = {
  type: "object";
  properties: Record<string, Record<string, unknown>>;
  required: string[];
  additionalProperties: true;
};

/**
 * Every tool of a session, for `new Agent({ tools })`: they run after the gate, in the sandbox. A call that needs
 * approval interrupts the run. The model reads the reason of a denial. A supervisor makes a session with these options.
 * Throws `USAGE` for options beside a session, except `conversation`.
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
  const made = tool<LooseParameters, unknown, string>({
    name,
    description,
    parameters: parametersOf(schema),
    strict: false,
    // A person must fix an error thrown here: a model would only try again.
    errorFunction: null,
    isEnabled: ({ runContext, agent }) => asked.begin(runContext, agent),
    needsApproval: async (context, input, callId = "") => {
      const isAnswered = isAskedAgain(asked, context, { name, callId, input });
      const { kind } = await gated.check({ tool: name, input, toolCallId: callId }, isAnswered);
      const mustAsk = kind === "pending" || (isAnswered && kind === "denied");
      return asked.remember(context, callId, input, mustAsk);
    },
    execute: async (input, context, details) => {
      const callId = details?.toolCall?.callId ?? "";
      const wasTold = context === undefined ? false : asked.take(context, callId, input);
      // If our reply was that no approval is needed, it did not pass by an answer.
      const isAnswered = context !== undefined && wasTold !== false;
      const said = isAnswered ? saidToAny(context, asked.agentsOf(context), name, details?.toolCall) : null;
      const passed = { said, wasAsked: wasTold !== null };
      return outcomeText(
        await gated.make({ tool: name, input, toolCallId: callId }, passed, details?.signal),
      );
    },
  });
  return { ...made, [PART]: new FunctionPart(name, gated) };
}

/**
 * True if the SDK asks again after a resume. It then also asks about approved calls, and makes them whatever we reply.
 * It does not name the agent: if only some agents' calls were approved, a new call counts as not approved.
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

/** The approval of exactly this call by an answer to one of these agents, by which the SDK let it pass. */
function saidToAny(
  context: RunContext,
  agents: readonly AskedItem["agent"][],
  name: string,
  rawItem: RawItem | undefined,
): SdkAnswer {
  const all =
    rawItem === undefined ? [] : agents.map((agent) => saidToItem(context, { agent, rawItem, name }));
  return all.find((said) => said === "yes") ?? all.find((said) => said === "always") ?? null;
}

class FunctionPart implements SdkToolPart {
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
    // The SDK passes the call's id to `execute`.
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

function parametersOf(schema: ToolCard["schema"]): LooseParameters {
  const { properties, required } = Schema.parse(schema ?? {});
  return { type: "object", properties, required, additionalProperties: true };
}
