// The entry `cofferdam/langchain`: tools and middleware for LangChain.
import "../host/require-node.ts";
import type { StructuredTool } from "@langchain/core/tools";
import type { AgentMiddleware } from "langchain";
import type { SessionOptions } from "../call/session-options.ts";
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

/** The agent's tools and, for a supervisor, the options of the session. */
export interface LangChainOptions extends SessionOptions {
  /** Names of the session's tools to use. Default all. */
  readonly only?: readonly string[];
  /** The answerer of interrupts as the journal names it, if an answer does not name one. */
  readonly by?: string;
}

/**
 * The tools of a session, or of one made from a supervisor, for any program that takes tools of `@langchain/core`. Each
 * call passes the session's gate, which asks the session's handlers. A denial is a message of status `error` with the
 * reason. Throws `USAGE` for an unknown tool in `only`, and for session options beside a session.
 */
export function cofferdamTools(of: CallsOf, options: Omit<LangChainOptions, "by"> = {}): StructuredTool[] {
  const { only, ...session } = options;
  const calls = new FrameworkCalls(of, BY, session);
  return cardsOf(calls.session, only).map((card) => unaskedTool(calls, card));
}

/**
 * The same tools for an agent of `createAgent`, which does not need them in `tools`. A call that needs approval
 * interrupts the agent with an `ApprovalQuestion`. It continues when resumed with an answer, in any process, or once it
 * was answered elsewhere. The calls of one turn are asked about and answered independently. Other tools are not
 * affected. Throws `USAGE` as `cofferdamTools` does.
 */
export async function cofferdamMiddleware(
  of: CallsOf,
  { only, by = BY, ...session }: LangChainOptions = {},
): Promise<CofferdamMiddleware> {
  const calls = new FrameworkCalls(of, by, session);
  const gate = new InterruptingGate(calls, by, cardsOf(calls.session, only));
  // Programs that use only tools need not install it.
  const { createMiddleware } = await import("langchain");
  return createMiddleware({
    name: "cofferdam",
    tools: gate.tools(),
    wrapToolCall: async (request, handler) =>
      (await gate.pass(request, (tool) => handler({ ...request, tool }))) ?? handler(request),
  });
}

/** A value for the `middleware` of `createAgent`. */
export type CofferdamMiddleware = AgentMiddleware<undefined, undefined, unknown, readonly StructuredTool[]>;

const BY = "langchain";
