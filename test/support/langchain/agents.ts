import { existsSync, readFileSync } from "node:fs";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { type BaseCheckpointSaver, Command, MemorySaver } from "@langchain/langgraph";
import { type AnyAgentMiddleware, createAgent } from "langchain";
import {
  type ApprovalQuestion,
  type CofferdamMiddleware,
  cofferdamMiddleware,
  type LangChainOptions,
  questionsOf,
} from "../../../src/adapters/langchain.ts";
import { defineTool, type Session, type SessionOptions, type Supervisor } from "../../../src/index.ts";
import type { Fates } from "../approval/fates.ts";
import type { Settings } from "../battery/place.ts";

// Whatever the machine's variables say: nothing is sent anywhere.
for (const name of ["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"])
  process.env[name] = "false";

/** What a model wants in one turn, or says at the end. */
export type Turn = readonly ScriptedCall[] | string;
export interface ScriptedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

/** More turns than any test has. */
const MAX_TURNS = 12;

/** A model that says what was written down, by how often it has spoken in this conversation: in whatever process. */
export function scripted(turns: readonly Turn[]) {
  const reply = (messages: readonly BaseMessage[]): AIMessage => {
    const turn = turns[messages.filter((one) => AIMessage.isInstance(one)).length] ?? "done";
    return typeof turn === "string"
      ? new AIMessage(turn)
      : new AIMessage({ content: "", tool_calls: turn.map((call) => ({ ...call, args: { ...call.args } })) });
  };
  return Array.from({ length: MAX_TURNS }).reduce<ReturnType<typeof fakeModel>>(
    (model) => model.respond(reply),
    fakeModel(),
  );
}

/** A tool call of a model. */
export function call(id: string, name: string, args: ScriptedCall["args"] = {}): ScriptedCall {
  return { id, name, args };
}

/** A line of shell that leaves a line in a file each time that it runs. It is asked about. */
export function writes(id: string, file = id): ScriptedCall {
  return call(id, "shell", { script: `echo ran >> ${file}` });
}

/** A program in a sandbox. It needs no approval, and leaves a line each time that it runs. */
export const TALLY = defineTool({
  name: "tally",
  risk: "read_only",
  needs: { roots: { ws: "write" } },
  command: ["sh", "-c", "echo ran >> tally"],
});

/** How often something ran, by what it left. */
export function runs(fates: Fates, file: string): number {
  const path = `${fates.place.ws}/${file}`;
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

/** One conversation with an agent that does what a script says. */
export class Talk {
  readonly #agent: ReturnType<typeof agentOf>;
  readonly #config: { configurable: { thread_id: string } };

  constructor(
    turns: readonly Turn[],
    middleware: CofferdamMiddleware,
    saver: BaseCheckpointSaver | undefined = new MemorySaver(),
    { thread = "thread", ...more }: AgentMore & { readonly thread?: string } = {},
  ) {
    this.#agent = agentOf(turns, middleware, saver, more);
    this.#config = { configurable: { thread_id: thread } };
  }

  begin(): Promise<Said> {
    return this.#said(this.#agent.invoke({ messages: [new HumanMessage("go on")] }, this.#config));
  }

  resume(resume: unknown): Promise<Said> {
    return this.#said(this.#agent.invoke(new Command({ resume }), this.#config));
  }

  /** Answers every question that waits, each by the id of its interrupt. */
  answer(said: Said, answer: (question: ApprovalQuestion) => unknown): Promise<Said> {
    return this.resume(Object.fromEntries([...said.questions].map(([id, one]) => [id, answer(one)])));
  }

  async #said(invoked: ReturnType<ReturnType<typeof agentOf>["invoke"]>): Promise<Said> {
    const result = await invoked;
    const questions = questionsOf(result);
    return {
      questions,
      // They come in the order in which they were asked, which is nobody's.
      asked: [...questions.values()].sort((one, other) => one.toolCallId.localeCompare(other.toolCallId)),
      told: result.messages
        .filter((one) => ToolMessage.isInstance(one))
        .map(({ tool_call_id, status, text }) => ({ id: tool_call_id, status, text })),
      last: result.messages.at(-1)?.text ?? "",
    };
  }
}

interface AgentMore {
  readonly version?: "v1" | "v2";
  readonly before?: readonly AnyAgentMiddleware[];
}

function agentOf(
  turns: readonly Turn[],
  middleware: CofferdamMiddleware,
  checkpointer: BaseCheckpointSaver | undefined,
  { version = "v2", before = [] }: AgentMore,
) {
  const all: readonly AnyAgentMiddleware[] = [...before, middleware];
  return createAgent({
    model: scripted(turns),
    middleware: all,
    checkpointer: checkpointer ?? false,
    version,
  });
}

/** Where a conversation is. */
export interface Said {
  readonly questions: ReadonlyMap<string, ApprovalQuestion>;
  readonly asked: readonly ApprovalQuestion[];
  /** What the model was told of its calls. */
  readonly told: readonly { readonly id: string; readonly status: unknown; readonly text: string }[];
  readonly last: string;
}

/** A session over the store of these fates, and its middleware, for as long as the work lasts. */
export async function withAgent<Value>(
  fates: Fates,
  work: (around: {
    readonly supervisor: Supervisor;
    readonly session: Session;
    readonly middleware: CofferdamMiddleware;
  }) => Promise<Value>,
  {
    settings,
    own = {},
    profiles = [],
    options = {},
  }: {
    readonly settings?: Settings;
    readonly own?: SessionOptions;
    readonly profiles?: readonly string[];
    readonly options?: LangChainOptions;
  } = {},
): Promise<Value> {
  await using supervisor = await fates.supervisor(settings, { profiles });
  await using session = supervisor.session({ tools: [TALLY], ...own });
  return await work({ supervisor, session, middleware: await cofferdamMiddleware(session, options) });
}
