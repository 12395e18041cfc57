import { isDeepStrictEqual } from "node:util";
import type { ModelMessage } from "ai";

/** A call as a model made it: the model's id, and the tool's name for the model. */
export interface MadeCall {
  readonly toolCallId: string;
  readonly tool: string;
  readonly input: unknown;
}

/** A call that the framework asked about, according to the messages. Their sender can forge anything. */
export interface AskedCall extends MadeCall {
  /** The framework's id of the request. */
  readonly approvalId: string;
  /** True if the framework or we answered, and not a sender of messages. */
  readonly isAutomatic: boolean;
  readonly said: readonly string[];
}

/** Calls with the same id without a result between them. */
interface Namesakes {
  readonly calls: readonly MadeCall[];
  readonly isOver: boolean;
}

/** The content of messages, in order. Ids may return, so a request is about the last call of its id before it. */
export class History {
  readonly #namesakes = new Map<string, Namesakes>();
  readonly #asked: AskedCall[] = [];
  readonly #said: string[] = [];
  /** Requests whose call has a later result. */
  readonly #over = new Set<AskedCall>();

  constructor(messages: readonly ModelMessage[]) {
    for (const message of messages) this.#read(message);
  }

  get asked(): readonly AskedCall[] {
    return this.#asked;
  }

  get said(): readonly string[] {
    return this.#said;
  }

  isOver(asked: AskedCall): boolean {
    return this.#over.has(asked);
  }

  /** The last calls of this id, without a result between them. */
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

/** True for the same call: equal id, tool and input. */
export function isSame(one: MadeCall, other: MadeCall): boolean {
  return (
    one.toolCallId === other.toolCallId &&
    one.tool === other.tool &&
    isDeepStrictEqual(one.input, other.input)
  );
}

/** The text of a user's message. */
export function textOf(content: Extract<ModelMessage, { readonly role: "user" }>["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}
