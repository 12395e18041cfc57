import type { RunContext, RunToolApprovalItem } from "@openai/agents";
import { z } from "zod";
import { assertOptions, callback, type OptionsOf, text } from "../../supervisor/options.ts";
import { BY } from "./gated-calls.ts";
import type { Part } from "./part.ts";

/** Asks somebody at once, in place of an interruption. */
export type OnApproval = (
  context: RunContext,
  item: RunToolApprovalItem,
) => Promise<{ approve: boolean; reason?: string }>;

/** In which conversation calls are made. */
export interface InConversation {
  /**
   * The id of the conversation, of your own making: the same in every process that takes a run up, and another one for anybody
   * else. A yes is then to a call of this conversation; without it, to any call of that id that asks for the same.
   */
  readonly conversation?: string;
}

/** How a tool that the SDK defines is named, and who is asked at once. */
export interface SdkToolOptions extends InConversation {
  /** As the model knows it. */
  readonly name?: string;
  readonly onApproval?: OnApproval;
}

const CONVERSATION = text("the id of a conversation, as a text").min(1, {
  error: "the id of a conversation, as a text",
});

const SDK_TOOL_OPTIONS: OptionsOf<SdkToolOptions> = z.strictObject({
  name: text("a name, as a text").min(1, { error: "a name, as a text" }).optional(),
  onApproval: callback("a function that answers").optional(),
  conversation: CONVERSATION.optional(),
});

const IN_CONVERSATION: OptionsOf<InConversation> = z.strictObject({ conversation: CONVERSATION.optional() });

/** These options, where they are some. Throws `USAGE`. */
export function checked(of: "cofferdamShell" | "cofferdamEditor", options: SdkToolOptions): SdkToolOptions {
  assertOptions(of, SDK_TOOL_OPTIONS, options);
  return options;
}

/** Throws `USAGE` where this is not the id of a conversation. */
export function assertConversation(of: string, conversation: string | undefined): void {
  assertOptions(of, IN_CONVERSATION, { conversation });
}

/** Asks somebody at once; a no is written down, for the SDK tells nobody of it. */
export function askedAtOnce(onApproval: OnApproval, part: Part): OnApproval {
  return async (context, item) => {
    part.note(item, context);
    const answer = await onApproval(context, item);
    if (answer.approve === false)
      for (const call of await part.callsOf(item.rawItem)) await part.gated.refuse(call, answer.reason, BY);
    return answer;
  };
}
