import { type ApprovalHandler, absolutePath, createSupervisor, type ToolCard, toolResult } from "cofferdam";

/** One thing in a conversation: what the model said, or what it was told. */
export type Message =
  | { readonly role: "user" | "assistant"; readonly text: string }
  | { readonly role: "tool"; readonly tool: string; readonly result: ReturnType<typeof toolResult> };

/** What a model wants next: tools to be called, or to say something and be done. */
export type Reply =
  | { readonly calls: readonly { readonly tool: string; readonly args: unknown }[] }
  | { readonly text: string };

/** Anything that answers a conversation; a real one would ask a provider. */
export type Model = (tools: readonly ToolCard[], messages: readonly Message[]) => Promise<Reply>;

/** More turns than this, and the model is stopped. */
const MOST_TURNS = 10;

/** Lets a model take notes in a folder with this config. All that it does, it does behind the gate and inside walls. */
export async function takeNotes(
  folder: string,
  task: string,
  model: Model,
  handler: ApprovalHandler,
): Promise<readonly Message[]> {
  const cwd = absolutePath(folder);
  await using supervisor = await createSupervisor({ config: `${cwd}/cofferdam.yaml`, cwd });
  await using session = supervisor.session({ agent: "note-taker", handler });
  const messages: Message[] = [{ role: "user", text: task }];
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
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
}
