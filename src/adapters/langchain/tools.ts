import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";
import type { ToolResult } from "../../approval/tool-outcome.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Json } from "../../policy/canonical-json.ts";
import { redact } from "../../policy/redact.ts";
import type { Outcome } from "../../supervisor/outcome.ts";
import type { Session } from "../../supervisor/session.ts";
import type { ToolCard } from "../../supervisor/tool-cards.ts";
import { toolResult } from "../../supervisor/tool-result.ts";
import { outputText } from "../output-text.ts";

/** What the model is told of a call, and how it went. */
export interface Told {
  readonly content: string;
  readonly status: "success" | "error";
}

/** One call of a tool. */
export type Make = (input: unknown, toolCallId: string, signal: AbortSignal | undefined) => Promise<Outcome>;

/** The cards of a session's tools, all or only these. Throws `USAGE` for a name that none has. */
export function cardsOf(session: Session, only: readonly string[] | undefined): readonly ToolCard[] {
  const cards = session.tools();
  if (only === undefined) return cards;
  const missing = only.find((name) => !cards.some((card) => card.name === name));
  if (missing !== undefined)
    throw new CofferdamError("USAGE", `there is no tool ${visible(missing)}`, {
      hint: `the tools are ${cards.map(({ name }) => name).join(", ")}`,
    });
  return cards.filter(({ name }) => only.includes(name));
}

/** A tool as the framework takes it. `edited` is what runs in place of its input. */
export function toolFor({ name, description, schema }: ToolCard, make: Make, edited?: Json) {
  return new DynamicStructuredTool({
    name,
    description,
    schema: { ...(schema ?? ANYTHING) },
    verboseParsingErrors: true,
    func: async (input: unknown, _run: unknown, config?: ToolRunnableConfig) => {
      const id = config?.toolCall?.id;
      const told = toldOf(await make(input, id ?? "", config?.signal), edited);
      return id === undefined ? told.content : messageFrom(told, name, id);
    },
  });
}

/** For a function that says nothing of what it takes. */
const ANYTHING: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: {},
  additionalProperties: true,
};

/** What the model is told, as its message. */
export function messageFrom(told: Told, name: string, toolCallId: string): ToolMessage {
  return new ToolMessage({ ...told, name, tool_call_id: toolCallId });
}

/** What the model is told of an outcome; where somebody put another input in place of the call's own, also which. */
export function toldOf(outcome: Outcome, edited?: Json): Told {
  const told = inWords(toolResult(outcome));
  if (edited === undefined) return told;
  const what = JSON.stringify(redact(edited).safeArgs);
  return { ...told, content: `Somebody changed the input of this call to ${what}\n${told.content}` };
}

function inWords(result: ToolResult): Told {
  switch (result.type) {
    case "success":
      return { content: outputText(result.output), status: "success" };
    case "denied":
      return { content: result.output, status: "error" };
    case "error":
      return { content: result.error, status: "error" };
    case "pending":
      return {
        content: `Not run: it waits for a person's answer (${result.approvalId}). ${result.reason}`,
        status: "error",
      };
  }
}
