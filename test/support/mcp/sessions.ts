import { BrokerHandler } from "../../../src/approval/handlers.ts";
import type { Host } from "../../../src/host/look/host.ts";
import { createSupervisor } from "../../../src/index.ts";
import type { McpOptions } from "../../../src/mcp/connection.ts";
import { mcpHttp } from "../../../src/mcp/http.ts";
import { knownPath } from "../../../src/profile/path.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Place, Settings } from "../battery/place.ts";

const VERSION = "2025-11-25";

/** What became of a call, as its client is told. */
export interface Told {
  readonly outcome: string;
  readonly approvalId: string;
  readonly reason: string;
}

/** What an endpoint has in place of its own. */
export interface Given {
  readonly host?: Partial<Host>;
  readonly store?: Store;
  readonly tools?: McpOptions["tools"];
}

/** An MCP endpoint over HTTP, and sessions of the older protocol at it, request by request. */
export async function endpoint(place: Place, settings: Settings, { host, store, tools: own }: Given = {}) {
  const supervisor = await createSupervisor({
    config: place.config(settings),
    cwd: knownPath(place.ws),
    host: place.host(host),
    ...(store === undefined ? {} : { store }),
  });
  const tools = mcpHttp(supervisor, {
    handler: new BrokerHandler(),
    ...(own === undefined ? {} : { tools: own }),
  });
  let id = 0;
  const send = (by: string, session: string | null, method: string, body?: object): Promise<Response> =>
    tools.fetch(
      new Request("http://127.0.0.1/mcp", {
        method,
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(session === null ? {} : { "mcp-session-id": session, "mcp-protocol-version": VERSION }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify({ jsonrpc: "2.0", ...body }) }),
      }),
      by,
    );
  const ask = (by: string, session: string | null, method: string, params: object): Promise<Response> => {
    id += 1;
    return send(by, session, "POST", { id, method, params });
  };
  const begin = (by = "agent"): Promise<Response> =>
    ask(by, null, "initialize", {
      protocolVersion: VERSION,
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    });
  const call = async (session: string, name: string, args: object, by = "agent"): Promise<Told> => {
    const response = await ask(by, session, "tools/call", { name, arguments: args });
    const line = (await response.text()).split("\n").find((one) => one.startsWith("data: {"));
    const { structuredContent = {} } = JSON.parse(line?.slice(6) ?? '{"result":{}}').result;
    const { outcome = "none", approval_id: approvalId = "", reason = "" } = structuredContent;
    return { outcome, approvalId, reason };
  };
  return {
    supervisor,
    begin,
    /** A session as a client begins one: its id. */
    session: async (by = "agent"): Promise<string> => {
      const response = await begin(by);
      await response.text();
      const session = response.headers.get("mcp-session-id") ?? "";
      await send(by, session, "POST", { method: "notifications/initialized" });
      return session;
    },
    /** The status with which a session answers. */
    list: async (session: string, by = "agent"): Promise<number> => {
      const response = await ask(by, session, "tools/list", {});
      await response.text();
      return response.status;
    },
    call,
    write: (session: string, path: string, content = "x", by = "agent"): Promise<Told> =>
      call(session, "write_file", { path, content }, by),
    end: async (session: string, by = "agent"): Promise<number> => (await send(by, session, "DELETE")).status,
    [Symbol.asyncDispose]: async () => {
      await tools[Symbol.asyncDispose]();
      await supervisor[Symbol.asyncDispose]();
    },
  };
}
