import type { RunContext, RunToolApprovalItem } from "@openai/agents";
import { z } from "zod";
import { assertOptions, callback, nonEmptyText, type OptionsOf } from "../../policy/options.ts";
import { BY } from "./gated-calls.ts";
import type { SdkToolPart } from "./part.ts";

/** Asks a person at once, instead of an interruption. */
export type OnApproval = (
  context: RunContext,
  item: RunToolApprovalItem,
) => Promise<{ approve: boolean; reason?: string }>;

/** The conversation of calls. */
export interface InConversation {
  /**
   * Your own id of the conversation: the same in every process that resumes a run, and unique. An approval then holds
   * in this conversation; without it, for any call of that id with the same content.
   */
  readonly conversation?: string;
}

/** Name of a tool that the SDK defines, and its immediate approval. */
export interface SdkToolOptions extends InConversation {
  /** Name for the model. */
  readonly name?: string;
  readonly onApproval?: OnApproval;
}

const SDK_TOOL_OPTIONS: OptionsOf<SdkToolOptions> = z.strictObject({
  name: nonEmptyText("a name (a string)").optional(),
  onApproval: callback("a function that returns an answer").optional(),
  conversation: nonEmptyText("the id of a conversation (a string)").optional(),
});

const IN_CONVERSATION: OptionsOf<InConversation> = SDK_TOOL_OPTIONS.pick({ conversation: true });

/** The options, checked. Throws `USAGE`. */
export function checked(of: "cofferdamShell" | "cofferdamEditor", options: SdkToolOptions): SdkToolOptions {
  assertOptions(of, SDK_TOOL_OPTIONS, options);
  return options;
}

/** Throws `USAGE` if this is no valid id of a conversation. */
export function assertConversation(of: string, conversation: string | undefined): void {
  assertOptions(of, IN_CONVERSATION, { conversation });
}

/** Asks a person at once, and records a rejection, which the SDK reports nowhere. */
export function askedAtOnce(onApproval: OnApproval, part: SdkToolPart): OnApproval {
  return async (context, item) => {
    part.note(item, context);
    const answer = await onApproval(context, item);
    if (answer.approve === false)
      for (const call of await part.callsOf(item.rawItem)) await part.gated.refuse(call, answer.reason, BY);
    return answer;
  };
}
