import { type ApprovalHandler, absolutePath, createSupervisor, type ToolCard, toolResult } from "cofferdam";

/** One message of a conversation, from the model or to it. */
export type Message =
  | { readonly role: "user" | "assistant"; readonly text: string }
  | { readonly role: "tool"; readonly tool: string; readonly result: ReturnType<typeof toolResult> };

/** The next step of a model: tool calls, or a final text. */
export type Reply =
  | { readonly calls: readonly { readonly tool: string; readonly args: unknown }[] }
  | { readonly text: string };

/** Continues a conversation; a real one would ask a provider. */
export type Model = (tools: readonly ToolCard[], messages: readonly Message[]) => Promise<Reply>;

/** The maximum of turns; then the model is stopped. */
const MAX_TURNS = 10;

/** Lets a model take notes in a folder with this config. Each call passes the gate and runs in the sandbox. */
export async function takeNotes(
  folder: string,
  task: string,
  model: Model,
  handler: ApprovalHandler,
): Promise<readonly Message[]> {
  const cwd = absolutePath(folder);
  const supervisor = await createSupervisor({ config: `${cwd}/cofferdam.yaml`, cwd });
  try {
    const session = supervisor.session({ agent: "note-taker", handler });
    const messages: Message[] = [{ role: "user", text: task }];
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const reply = await model(session.tools(), messages);
      if ("text" in reply) {
        messages.push({ role: "assistant", text: reply.text });
        break;
      }
      const outcomes = await session.callAll(reply.calls);
      for (const [index, outcome] of outcomes.entries())
        messages.push({ role: "tool", tool: reply.calls[index]?.tool ?? "", result: toolResult(outcome) });
    }
    return messages;
  } finally {
    await supervisor.close();
  }
}
