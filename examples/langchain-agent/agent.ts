import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { Command, MemorySaver } from "@langchain/langgraph";
import { absolutePath, createSupervisor } from "cofferdam";
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  cofferdamMiddleware,
  questionsOf,
} from "cofferdam/langchain";
import { createAgent } from "langchain";

/** Shows a question to a person, and returns the result of `approve` or `reject`. */
export type Person = (question: ApprovalQuestion) => Promise<ApprovalAnswer>;

/** Lets a model work in a folder with this config. Each call passes the gate and runs in the sandbox. */
export async function work(folder: string, task: string, model: BaseChatModel, person: Person) {
  const cwd = absolutePath(folder);
  const supervisor = await createSupervisor({ config: `${cwd}/cofferdam.yaml`, cwd });
  try {
    const agent = createAgent({
      model,
      middleware: [await cofferdamMiddleware(supervisor, { agent: "writer" })],
      checkpointer: new MemorySaver(),
    });
    const thread = { configurable: { thread_id: "post" } };
    let result = await agent.invoke({ messages: [{ role: "user", content: task }] }, thread);
    for (let waiting = questionsOf(result); waiting.size > 0; waiting = questionsOf(result)) {
      const answers = new Map<string, ApprovalAnswer>();
      for (const [id, question] of waiting) answers.set(id, await person(question));
      result = await agent.invoke(new Command({ resume: Object.fromEntries(answers) }), thread);
    }
    return result.messages;
  } finally {
    await supervisor.close();
  }
}
