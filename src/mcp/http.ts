import { createMcpHandler, isLegacyRequest, readRequestBody } from "@modelcontextprotocol/server";
import { assertOptions } from "../policy/options.ts";
import type { Supervisor } from "../session/supervisor.ts";
import { refusal, whyRefused } from "./bounded-messages.ts";
import { MCP_OPTIONS, McpConnection, type McpOptions } from "./connection.ts";
import { LegacySessions, MAX_BODY_BYTES } from "./legacy-sessions.ts";
import { serversOf } from "./server.ts";

/** MCP over HTTP, for servers with their own authentication: no token is checked here. */
export interface McpHttp extends AsyncDisposable {
  /** Answers one request of the Streamable HTTP transport. `by` is the client, identified by the request's token. */
  readonly fetch: (request: Request, by?: string) => Promise<Response>;
  /** Ends the service, like `await using` at the end of a scope. */
  close(): Promise<void>;
}

/** The client's name if `by` is empty. */
const UNNAMED = "mcp";

/**
 * Serves MCP clients over Streamable HTTP. In the current protocol each request is independent, and all requests of a
 * client share one supervisor session. In older protocols a client has a session from `initialize` until it ends it
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http). Grants, requests and
 * pending calls are separate for each client. Its user is asked by form elicitation only if `elicitation` is true,
 * because the sender of the requests could answer them. Throws `USAGE` for unknown options.
 */
export function mcpHttp(supervisor: Supervisor, options: McpOptions = {}): McpHttp {
  assertOptions("mcpHttp", MCP_OPTIONS, options);
  const clients = new Map<string, HttpClient>();
  const close = async (): Promise<void> => {
    await Promise.all([...clients.values()].map((client) => client[Symbol.asyncDispose]()));
  };
  return {
    fetch: (request, by = "") => {
      const name = by === "" ? UNNAMED : by;
      const client =
        clients.get(name) ?? new HttpClient(supervisor, { elicitation: false, ...options }, name);
      clients.set(name, client);
      return client.fetch(request);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** All clients with one token. `requestState` is signed, and pending requests are counted, per token. */
class HttpClient implements AsyncDisposable {
  readonly #shared: McpConnection;
  readonly #handler;
  readonly #sessions: LegacySessions;
  readonly #telling: Disposable;

  constructor(supervisor: Supervisor, options: McpOptions, client: string) {
    const shared = new McpConnection(supervisor, options, client);
    this.#shared = shared;
    this.#handler = createMcpHandler(
      serversOf(supervisor, () => shared),
      { legacy: "reject", maxRequestBodySize: MAX_BODY_BYTES },
    );
    this.#telling = supervisor.onConfigChange(() => this.#handler.notify.toolsChanged());
    this.#sessions = new LegacySessions({ supervisor, options, client, shared });
  }

  async fetch(request: Request): Promise<Response> {
    const body = await readRequestBody(request.clone(), MAX_BODY_BYTES);
    const why = body.tooLarge ? null : whyRefused(body.text);
    if (why !== null)
      return new Response(refusal(null, why), {
        status: 400,
        headers: { "content-type": "application/json" },
      });
    return (await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES }))
      ? this.#sessions.fetch(request)
      : this.#handler.fetch(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#telling[Symbol.dispose]();
    await this.#handler.close();
    await this.#sessions[Symbol.asyncDispose]();
    await this.#shared[Symbol.asyncDispose]();
  }
}
