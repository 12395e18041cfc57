import { BrokerHandler, createSupervisor, defineTool, toolResult } from "cofferdam";
import { serveApprovals } from "cofferdam/http";
import { z } from "zod";

/** A tool of the service: it sends a letter. */
const sendLetter = defineTool({
  name: "send_letter",
  input: z.object({ to: z.string(), text: z.string() }),
  run: ({ input }) => `sent to ${input.to}`,
});

/** The service: an agent behind the gate, and the server at which people answer. */
export async function startService(token: string) {
  const supervisor = await createSupervisor({ config: `${import.meta.dirname}/cofferdam.yaml` });
  const approvals = await serveApprovals(supervisor.broker, { approvers: [{ name: "ann", token }] });
  const session = supervisor.session({ agent: "clerk", handler: new BrokerHandler() });
  const tools = session.guard([sendLetter]);
  return {
    /** The URL of the inbox; the stream is `/events?view=stream`. */
    url: approvals.url,
    /** A turn of the agent. Returns the result of each letter. */
    send: async (...letters: readonly { readonly to: string; readonly text: string }[]) => {
      const outcomes = await tools.callAll(letters.map((args) => ({ tool: "send_letter", args })));
      return outcomes.map(toolResult);
    },
    [Symbol.asyncDispose]: async () => {
      await approvals.close();
      await supervisor.close();
    },
  };
}
