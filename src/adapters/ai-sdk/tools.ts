import type { ModelMessage, Tool, ToolApprovalStatus } from "ai";
import { z } from "zod";
import type { ToolResult } from "../../approval/tool-outcome.ts";
import { SESSION_OPTIONS, type SessionOptions } from "../../call/session-options.ts";
import { assertOptions, nonEmptyText, type OptionsOf, text } from "../../policy/options.ts";
import type { Session } from "../../session/session.ts";
import { type CallsOf, FrameworkCalls } from "../framework-calls.ts";
import { AiSdkGate } from "./gate.ts";
import { namedCards } from "./names.ts";

/** The model's tools and their names, the app's answerer and, for a supervisor, the options of the session. */
export interface CofferdamToolsOptions extends SessionOptions {
  /** Names of the tools to use. Default all of the session. */
  readonly only?: readonly string[];
  /** Prefix of each tool's name for the model. */
  readonly prefix?: string;
  /** The answerer in the app as the journal names it: the signed-in user. */
  readonly by?: string;
  /**
   * The app's id of the conversation: constant when it is resumed, and unique. Answers in one do not count in another.
   * Default: all user messages of the conversation before the call.
   */
  readonly conversation?: string;
}

/** The argument of `toolApproval`. */
export interface ApprovalCheck {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
  readonly messages: readonly ModelMessage[];
}

/** The argument of `prepareStep`. */
export interface StepBegun {
  readonly stepNumber: number;
  /** The messages that the model will get. */
  readonly messages: readonly ModelMessage[];
  readonly initialMessages: readonly ModelMessage[];
}

/** Tools of a session for `generateText`, `streamText` and agents: pass `{ tools, toolApproval, prepareStep }` on. */
export interface CofferdamTools extends AsyncDisposable {
  readonly tools: Record<string, Tool<unknown, ToolResult>>;
  /** Decides whether the framework has to ask and, after an answer, whether the approval still holds. */
  readonly toolApproval: (check: ApprovalCheck) => Promise<ToolApprovalStatus>;
  /**
   * Records rejections, which the framework reports nowhere else. If a user sent another message instead of an answer,
   * the call counts as denied: its request is withdrawn, and the messages of the step have a result for it.
   */
  readonly prepareStep: (step: StepBegun) => Promise<{ messages: ModelMessage[] } | undefined>;
  /**
   * Does the same for apps that prepare steps themselves, or end a conversation with a rejection. Returns the messages
   * to continue with.
   */
  readonly settle: (messages: readonly ModelMessage[]) => Promise<ModelMessage[]>;
  /**
   * The messages with the answers given elsewhere (inbox, chat or command line), ready to continue. Null while a
   * request in them is unanswered.
   */
  readonly answered: (messages: readonly ModelMessage[]) => Promise<ModelMessage[] | null>;
  /** The session that makes the calls. One made from a supervisor ends with these tools. */
  readonly session: Session;
  /** Closes the session, as `await using` does at the end of a scope. */
  close(): Promise<void>;
}

/**
 * The tools of a session, or of a new one, for the AI SDK. A call that needs approval becomes the framework's approval
 * request and, at the same time, a request in the store. The first answer decides. Throws `USAGE` for an unknown tool
 * in `only`, for unknown options, and for session options beside a session.
 */
export function cofferdamTools(of: CallsOf, options: CofferdamToolsOptions = {}): CofferdamTools {
  assertOptions("cofferdamTools", TOOLS_OPTIONS, options);
  const { only, prefix = "", by = "ai-sdk", conversation, ...session } = options;
  const calls = new FrameworkCalls(of, by, session);
  const gate = new AiSdkGate(calls, namedCards(calls.session.tools(), prefix, only), conversation);
  return {
    tools: gate.tools(),
    toolApproval: ({ toolCall: { toolCallId, toolName: tool, input }, messages }) =>
      gate.status({ toolCallId, tool, input }, messages),
    prepareStep: async ({ stepNumber, messages, initialMessages }) => {
      if (stepNumber === 0) await gate.settle(initialMessages);
      const settled = gate.withDenials(messages);
      return settled.length === messages.length ? undefined : { messages: [...settled] };
    },
    settle: async (messages) => [...(await gate.settle(messages))],
    answered: (messages) => gate.answered(messages),
    session: calls.session,
    close: () => calls[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}

const TOOLS_OPTIONS: OptionsOf<CofferdamToolsOptions> = z.strictObject({
  ...SESSION_OPTIONS.shape,
  only: z.array(text("a list of names"), { error: "a list of names" }).optional(),
  prefix: text("a string").optional(),
  by: text("a name (a string)").optional(),
  conversation: nonEmptyText("a name (a string)").optional(),
});
