import type { ModelMessage, Tool, ToolApprovalStatus } from "ai";
import { z } from "zod";
import type { ToolResult } from "../../approval/tool-outcome.ts";
import { assertOptions, type OptionsOf, text } from "../../supervisor/options.ts";
import type { Session } from "../../supervisor/session.ts";
import { SESSION_OPTIONS, type SessionOptions } from "../../supervisor/session-options.ts";
import { type CallsOf, FrameworkCalls } from "../framework-calls.ts";
import { AiSdkGate } from "./gate.ts";
import { namedCards } from "./names.ts";

/** Which tools a model gets, under which names, who answers for the app, and, where a supervisor is given, of what session. */
export interface CofferdamToolsOptions extends SessionOptions {
  /** The names of the tools to take; without it, all that the session has. */
  readonly only?: readonly string[];
  /** Stands before the name of each tool, as the model knows it. */
  readonly prefix?: string;
  /** Who answers in the app, as the record names them: whoever is signed in. */
  readonly by?: string;
  /**
   * What the app calls the conversation: the same whenever it goes on, and no other's. Answers in one count for no other. Without
   * it a conversation is known by all that users had written in it before the call.
   */
  readonly conversation?: string;
}

/** A call as `toolApproval` gets it. */
export interface ApprovalCheck {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
  readonly messages: readonly ModelMessage[];
}

/** A step as `prepareStep` gets it. */
export interface StepBegun {
  readonly stepNumber: number;
  readonly initialMessages: readonly ModelMessage[];
}

/**
 * Tools of a session for `generateText`, `streamText` and agents: `{ tools, toolApproval, prepareStep }` go there as they are.
 */
export interface CofferdamTools extends AsyncDisposable {
  readonly tools: Record<string, Tool<unknown, ToolResult>>;
  /** Whether the framework has to ask; on the way back from a person, whether their yes still holds. */
  readonly toolApproval: (check: ApprovalCheck) => Promise<ToolApprovalStatus>;
  /** Writes down who was answered no, which the framework tells nobody else. It changes nothing of the step. */
  readonly prepareStep: (step: StepBegun) => Promise<undefined>;
  /** The same for those who prepare steps by themselves, or end a conversation with a no. */
  readonly settle: (messages: readonly ModelMessage[]) => Promise<void>;
  /**
   * The messages with what was answered elsewhere, in the inbox, a chat or on the command line: ready to go on with. Null as
   * long as nobody has answered one of the questions in them.
   */
  readonly answered: (messages: readonly ModelMessage[]) => Promise<ModelMessage[] | null>;
  /** What makes the calls. It is its own where a supervisor was given, and ends with it. */
  readonly session: Session;
}

/**
 * The tools of a session, or of a new one, for the AI SDK. A call that needs a yes becomes the framework's own approval
 * request, and is a question in the store at once: whoever answers first decides. Throws `USAGE` for a name in `only` that
 * no tool has, for an option that there is not, and for options of a session beside a session.
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
    prepareStep: async ({ stepNumber, initialMessages }) => {
      if (stepNumber === 0) await gate.settle(initialMessages);
      return undefined;
    },
    settle: (messages) => gate.settle(messages),
    answered: (messages) => gate.answered(messages),
    session: calls.session,
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  };
}

const TOOLS_OPTIONS: OptionsOf<CofferdamToolsOptions> = z.strictObject({
  ...SESSION_OPTIONS.shape,
  only: z.array(text("a list of names"), { error: "a list of names" }).optional(),
  prefix: text("a text").optional(),
  by: text("a name, as a text").optional(),
  conversation: text("a name, as a text").min(1, { error: "a name, as a text" }).optional(),
});
