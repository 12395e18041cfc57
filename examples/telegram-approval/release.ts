import { createSupervisor, defineTool, toolResult } from "cofferdam";
import { type TelegramOptions, telegramHandler } from "cofferdam/telegram";
import { z } from "zod";

/** Publishes a version; a real one would build and upload it. */
const publish = defineTool({
  name: "publish",
  risk: "write",
  input: z.object({ version: z.string(), to: z.string() }),
  run: ({ input }) => `${input.version} is on ${input.to}`,
});

/** Publishes a version after an approval in the chat. Returns the result for the agent. */
export async function release(version: string, chat: TelegramOptions) {
  // The chat closes last, so that its messages can still show the outcome.
  const telegram = telegramHandler(chat);
  const supervisor = await createSupervisor({ config: `${import.meta.dirname}/cofferdam.yaml` });
  try {
    const session = supervisor.session({ agent: "release-bot", handler: telegram });
    const outcome = await session.guard([publish]).call("publish", { version, to: "registry" });
    return toolResult(outcome);
  } finally {
    await supervisor.close();
    await telegram.close();
  }
}
