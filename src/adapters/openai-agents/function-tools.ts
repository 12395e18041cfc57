import { type FunctionTool, type RunContext, tool } from "@openai/agents";
import { z } from "zod";
import type { SessionOptions } from "../../supervisor/session-options.ts";
import type { ToolCard } from "../../supervisor/tool-cards.ts";
import type { CallsOf, FrameworkCall } from "../framework-calls.ts";
import { GatedCalls, saidTo, told } from "./gated-calls.ts";
import { type HasPart, PART, type Part, type RawItem } from "./part.ts";

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
 * these options. Throws `USAGE` for options beside a session.
 */
export function cofferdamTools(of: CallsOf, options: SessionOptions = {}): CofferdamTool[] {
  const gated = new GatedCalls(of, options);
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
    isEnabled: ({ runContext }) => asked.begin(runContext),
    needsApproval: async (context, input, callId = "") => {
      const isNew = asked.add(context, callId);
      const said = saidTo(context, name, callId);
      // After a resume the SDK asks about what was approved too, and makes the call whatever is said here. An `always` may be
      // another agent's: then a call that is new was not approved by it.
      if (said === "yes" || (said === "always" && !isNew)) return false;
      return (await gated.clearance({ tool: name, input, toolCallId: callId }, false)).kind === "pending";
    },
    execute: async (input, context, details) => {
      const callId = details?.toolCall?.callId ?? "";
      const passed = {
        said: context === undefined ? null : saidTo(context, name, callId),
        wasAsked: context !== undefined && asked.has(context, callId),
      };
      return told(await gated.make({ tool: name, input, toolCallId: callId }, passed, details?.signal));
    },
  });
  return { ...made, [PART]: new FunctionPart(name, gated) };
}

/** Which calls of a run the SDK has asked about: every one but those to which somebody had said `always`. */
class AskedCalls {
  readonly #runs = new WeakMap<object, { readonly requestsBefore: number; readonly callIds: Set<string> }>();

  /** A run comes here, at its start or out of a text: before its model says anything more. */
  begin(context: RunContext): true {
    if (!this.#runs.has(context))
      this.#runs.set(context, { requestsBefore: context.usage.requests, callIds: new Set() });
    return true;
  }

  /** True for a call that the model made since, of which the SDK had not asked before. */
  add(context: RunContext, callId: string): boolean {
    this.begin(context);
    const run = this.#runs.get(context);
    if (run === undefined || run.callIds.has(callId)) return false;
    run.callIds.add(callId);
    return context.usage.requests > run.requestsBefore;
  }

  has(context: RunContext, callId: string): boolean {
    return this.#runs.get(context)?.callIds.has(callId) === true;
  }
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
