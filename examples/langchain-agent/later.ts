import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseCheckpointSaver, Command } from "@langchain/langgraph";
import { absolutePath, createSupervisor } from "cofferdam";
import { type ApprovalAnswer, cofferdamMiddleware, questionsOf } from "cofferdam/langchain";
import { createAgent } from "langchain";

/** The next input of a conversation: a task, or answers by the id of their question. */
export type Input = string | Readonly<Record<string, ApprovalAnswer>>;

/**
 * Continues a conversation until it is over or a call needs an answer. The process may end meanwhile: the next one needs
 * the same checkpointer and the same state folder.
 */
export async function goOn(
  folder: string,
  input: Input,
  model: BaseChatModel,
  checkpointer: BaseCheckpointSaver,
) {
  const cwd = absolutePath(folder);
  const supervisor = await createSupervisor({ config: `${cwd}/cofferdam.yaml`, cwd });
  try {
    const middleware = [await cofferdamMiddleware(supervisor, { agent: "writer" })];
    const agent = createAgent({ model, middleware, checkpointer });
    const thread = { configurable: { thread_id: "post" } };
    const result =
      typeof input === "string"
        ? await agent.invoke({ messages: [{ role: "user", content: input }] }, thread)
        : await agent.invoke(new Command({ resume: input }), thread);
    return { waiting: questionsOf(result), messages: result.messages };
  } finally {
    await supervisor.close();
  }
}
