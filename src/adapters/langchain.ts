import "../host/require-node.ts";
import type { StructuredTool } from "@langchain/core/tools";
import type { AgentMiddleware } from "langchain";
import type { SessionOptions } from "../supervisor/session-options.ts";
import { type CallsOf, FrameworkCalls } from "./framework-calls.ts";
import { InterruptingGate, unaskedTool } from "./langchain/gate.ts";
import { cardsOf } from "./langchain/tools.ts";

export {
  type ApprovalAnswer,
  type ApprovalQuestion,
  type ApproveOptions,
  approve,
  questionsOf,
  reject,
} from "./langchain/question.ts";

/** Which tools an agent gets, and, where a supervisor is given, of what session. */
export interface LangChainOptions extends SessionOptions {
  /** Only these of the session's tools, by name; without it all. */
  readonly only?: readonly string[];
  /** Who answers interrupts, as the record names them, where an answer does not say. */
  readonly by?: string;
}

/**
 * The tools of a session, or of one of its own of a supervisor, for any program that takes tools of `@langchain/core`. Each
 * call passes the session's gate, which asks the session's handlers. What is denied is a message of status `error` that says
 * why. Throws `USAGE` for a name in `only` that no tool has, and for options of a session beside a session.
 */
export function cofferdamTools(of: CallsOf, options: Omit<LangChainOptions, "by"> = {}): StructuredTool[] {
  const { only, ...session } = options;
  const calls = new FrameworkCalls(of, BY, session);
  return cardsOf(calls.session, only).map((card) => unaskedTool(calls, card));
}

/**
 * The same tools for an agent of `createAgent`, which need not be given to it besides. A call that needs a yes interrupts the
 * agent with an `ApprovalQuestion`; it goes on when it is resumed with an answer, in whatever process, or when somebody has
 * answered elsewhere. Calls of one turn are asked about by themselves: none waits or falls with another. Tools that are not
 * the session's are left as they are. Throws `USAGE` as `cofferdamTools` does.
 */
export async function cofferdamMiddleware(
  of: CallsOf,
  { only, by = BY, ...session }: LangChainOptions = {},
): Promise<CofferdamMiddleware> {
  const calls = new FrameworkCalls(of, by, session);
  const gate = new InterruptingGate(calls, by, cardsOf(calls.session, only));
  // Whoever takes nothing but tools need not have it.
  const { createMiddleware } = await import("langchain");
  return createMiddleware({
    name: "cofferdam",
    tools: gate.tools(),
    wrapToolCall: async (request, handler) =>
      (await gate.pass(request, (tool) => handler({ ...request, tool }))) ?? handler(request),
  });
}

/** What `createAgent` takes among its `middleware`. */
export type CofferdamMiddleware = AgentMiddleware<undefined, undefined, unknown, readonly StructuredTool[]>;

const BY = "langchain";
