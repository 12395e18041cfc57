import { isDeepStrictEqual } from "node:util";
import type { ModelMessage } from "ai";

/** A call as a model made it: its own name for it, and the tool by the name that the model knows. */
export interface MadeCall {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: unknown;
}

/** A call that the framework asked somebody about, as messages tell it. Whoever sends them may have written anything. */
export interface AskedCall extends MadeCall {
  /** What the framework calls its question. */
  readonly approvalId: string;
  /** The framework was told at once, or by us: nobody who sends messages said anything. */
  readonly isAutomatic: boolean;
  /** What users had written before it. */
  readonly said: readonly string[];
}

/** Calls of one name among which no result came. */
interface Namesakes {
  readonly calls: readonly MadeCall[];
  readonly isOver: boolean;
}

/** What messages tell, in their order. A name may come back, so a question is about the last call of its name before it. */
export class History {
  readonly #namesakes = new Map<string, Namesakes>();
  readonly #asked: AskedCall[] = [];
  readonly #said: string[] = [];
  /** Questions whose call has a result after them. */
  readonly #over = new Set<AskedCall>();

  constructor(messages: readonly ModelMessage[]) {
    for (const message of messages) this.#read(message);
  }

  /** Every question, and whether its call has a result. */
  get asked(): readonly AskedCall[] {
    return this.#asked;
  }

  /** What users wrote. */
  get said(): readonly string[] {
    return this.#said;
  }

  isOver(asked: AskedCall): boolean {
    return this.#over.has(asked);
  }

  /** The last calls of this name: those that no result came between. */
  namesakes(toolCallId: string): Namesakes {
    return this.#namesakes.get(toolCallId) ?? { calls: [], isOver: false };
  }

  #read(message: ModelMessage): void {
    switch (message.role) {
      case "system":
        return;
      case "user":
        this.#said.push(textOf(message.content));
        return;
      case "assistant":
        if (typeof message.content !== "string") for (const part of message.content) this.#readPart(part);
        return;
      case "tool":
        for (const part of message.content) if (part.type === "tool-result") this.#end(part.toolCallId);
    }
  }

  #readPart(part: Exclude<Extract<ModelMessage, { readonly role: "assistant" }>["content"], string>[number]) {
    if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolCallId, toolName: tool, input } = part;
      const { calls, isOver } = this.namesakes(toolCallId);
      const before = isOver ? [] : calls;
      this.#namesakes.set(toolCallId, { calls: [...before, { toolCallId, tool, input }], isOver: false });
    }
    if (part.type !== "tool-approval-request") return;
    const call = this.namesakes(part.toolCallId).calls.at(-1);
    if (call === undefined) return;
    const { approvalId, isAutomatic = false } = part;
    this.#asked.push({ ...call, approvalId, isAutomatic, said: [...this.#said] });
  }

  #end(toolCallId: string): void {
    const { calls } = this.namesakes(toolCallId);
    this.#namesakes.set(toolCallId, { calls, isOver: true });
    for (const asked of this.#asked) if (asked.toolCallId === toolCallId) this.#over.add(asked);
  }
}

/** Whether they are one call: the same name, tool and input. */
export function isSame(one: MadeCall, other: MadeCall): boolean {
  return (
    one.toolCallId === other.toolCallId &&
    one.tool === other.tool &&
    isDeepStrictEqual(one.input, other.input)
  );
}

/** The text of a message, in whichever of its forms it comes. */
function textOf(content: Extract<ModelMessage, { readonly role: "user" }>["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
