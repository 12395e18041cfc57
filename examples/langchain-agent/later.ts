import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseCheckpointSaver, Command } from "@langchain/langgraph";
import { absolutePath, createSupervisor } from "cofferdam";
import { type ApprovalAnswer, cofferdamMiddleware, questionsOf } from "cofferdam/langchain";
import { createAgent } from "langchain";

/** What a conversation goes on with: a task, or answers, each under the id that its question had. */
export type Input = string | Readonly<Record<string, ApprovalAnswer>>;

/**
 * Goes on with a conversation until it is over or somebody has to answer. Nothing is held meanwhile: the next call may be
 * made by another process, on another day, that has the same checkpointer and the same state folder.
 */
export async function goOn(
  folder: string,
  input: Input,
  model: BaseChatModel,
  checkpointer: BaseCheckpointSaver,
) {
  const cwd = absolutePath(folder);
  await using supervisor = await createSupervisor({ config: `${cwd}/cofferdam.yaml`, cwd });
  const middleware = [await cofferdamMiddleware(supervisor, { agent: "writer" })];
  const agent = createAgent({ model, middleware, checkpointer });
  const thread = { configurable: { thread_id: "post" } };
  const result =
    typeof input === "string"
      ? await agent.invoke({ messages: [{ role: "user", content: input }] }, thread)
      : await agent.invoke(new Command({ resume: input }), thread);
  return { waiting: questionsOf(result), messages: result.messages };
}
