import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool, type ToolRunnableConfig } from "@langchain/core/tools";
import { resultText, toolResult } from "../../call/tool-result.ts";
import type { Outcome } from "../../decide/outcome.ts";
import type { ToolCard } from "../../decide/tool-cards.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Session } from "../../session/session.ts";
import { outputText } from "../output-text.ts";

/** The model's text about a call, and its status. */
export interface ModelMessage {
  readonly content: string;
  readonly status: "success" | "error";
}

export type Make = (input: unknown, toolCallId: string, signal: AbortSignal | undefined) => Promise<Outcome>;

/** The cards of a session's tools, all or only these. Throws `USAGE` for an unknown tool. */
export function cardsOf(session: Session, only: readonly string[] | undefined): readonly ToolCard[] {
  const cards = session.tools();
  if (only === undefined) return cards;
  const missing = only.find((name) => !cards.some((card) => card.name === name));
  if (missing !== undefined)
    throw new CofferdamError("USAGE", `unknown tool ${visible(missing)}`, {
      hint: `use one of: ${cards.map(({ name }) => name).join(", ")}`,
    });
  return cards.filter(({ name }) => only.includes(name));
}

/** A tool for the framework. */
export function toolFor({ name, description, schema }: ToolCard, make: Make) {
  return new DynamicStructuredTool({
    name,
    description,
    schema: { ...(schema ?? ANYTHING) },
    verboseParsingErrors: true,
    func: async (input: unknown, _run: unknown, config?: ToolRunnableConfig) => {
      const id = config?.toolCall?.id;
      const message = messageOf(await make(input, id ?? "", config?.signal));
      return id === undefined ? message.content : messageFrom(message, name, id);
    },
  });
}

/** The schema of a function that declares no arguments. */
const ANYTHING: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: {},
  additionalProperties: true,
};

/** The framework's message for the model. */
export function messageFrom(message: ModelMessage, name: string, toolCallId: string): ToolMessage {
  return new ToolMessage({ ...message, name, tool_call_id: toolCallId });
}

/** The model's text about an outcome. */
export function messageOf(outcome: Outcome): ModelMessage {
  const result = toolResult(outcome);
  return {
    content: resultText(result, outputText),
    status: result.type === "success" ? "success" : "error",
  };
}
