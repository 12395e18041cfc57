import type { ModelMessage, Tool, ToolApprovalStatus } from "ai";
import type { ToolResult } from "../../approval/tool-outcome.ts";
import type { Session } from "../../supervisor/session.ts";
import { type CallsOf, FrameworkCalls } from "../framework-calls.ts";
import { AiSdkGate } from "./gate.ts";
import { namedCards } from "./names.ts";

/** Which tools a model gets, under which names, and who answers for the app. */
export interface CofferdamToolsOptions {
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
 * no tool has.
 */
export function cofferdamTools(of: CallsOf, options: CofferdamToolsOptions = {}): CofferdamTools {
  const { only, prefix = "", by = "ai-sdk", conversation } = options;
  const calls = new FrameworkCalls(of, by);
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
