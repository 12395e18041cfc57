import { createSupervisor, defineTool, toolResult } from "cofferdam";
import { type TelegramOptions, telegramHandler } from "cofferdam/telegram";
import { z } from "zod";

/** What goes out with a release; a real one would build and publish it. */
const publish = defineTool({
  name: "publish",
  risk: "write",
  input: z.object({ version: z.string(), to: z.string() }),
  run: ({ input }) => `${input.version} is on ${input.to}`,
});

/** Publishes a version, if somebody in the chat says yes; what the agent is told of it. */
export async function release(version: string, chat: TelegramOptions) {
  // The chat is let go last, so that its messages can still become what came of them.
  await using telegram = telegramHandler(chat);
  await using supervisor = await createSupervisor({ config: `${import.meta.dirname}/cofferdam.yaml` });
  await using session = supervisor.session({ agent: "release-bot", handler: telegram });
  const outcome = await session.guard([publish]).call("publish", { version, to: "registry" });
  return toolResult(outcome);
}
