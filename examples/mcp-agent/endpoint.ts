import { BrokerHandler, createSupervisor } from "cofferdam";
import { serveApprovals } from "cofferdam/http";
import { mcpHttp } from "cofferdam/mcp";

/** Serves the tools of a config over HTTP. The agent's token can call tools and cannot answer requests. */
export async function serveTools(config: string, token: string) {
  const supervisor = await createSupervisor({ config, startsInRoot: true });
  const tools = mcpHttp(supervisor, { handler: new BrokerHandler() });
  const server = await serveApprovals(supervisor.broker, {
    mounts: [{ path: "/mcp", clients: [{ name: "agent", token }], fetch: tools.fetch }],
  });
  return {
    url: `${server.url}/mcp`,
    broker: supervisor.broker,
    [Symbol.asyncDispose]: async () => {
      await tools.close();
      await server.close();
      await supervisor.close();
    },
  };
}
