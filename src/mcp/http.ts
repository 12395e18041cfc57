import { createMcpHandler, isLegacyRequest, readRequestBody } from "@modelcontextprotocol/server";
import { assertOptions } from "../supervisor/options.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { refusal, whyRefused } from "./bounded-messages.ts";
import { Connection, MCP_OPTIONS, type McpOptions } from "./connection.ts";
import { LegacySessions, MAX_BODY_BYTES } from "./legacy-sessions.ts";
import { serversOf } from "./server.ts";

/** MCP over HTTP, for whoever serves it behind a door of their own: nobody is asked for a token here. */
export interface McpHttp extends AsyncDisposable {
  /** Answers one request of the streamable transport; `by` is whose it is, by the token that it came with. */
  readonly fetch: (request: Request, by?: string) => Promise<Response>;
}

/** Whose requests they are where nobody says it. */
const ANYBODY = "mcp";

/**
 * Serves MCP clients over streamable HTTP. By the current protocol each request stands for itself, and all of one client share a
 * session of the supervisor; by those before it a client has a session from `initialize` until it ends it
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http). What one was granted, asked or
 * begun is no other's. Its user is asked by forms where `elicitation` is true, and not else: whoever sends the requests could
 * answer them. Throws `USAGE` for options that there are not.
 */
export function mcpHttp(supervisor: Supervisor, options: McpOptions = {}): McpHttp {
  assertOptions("mcpHttp", MCP_OPTIONS, options);
  const clients = new Map<string, HttpClient>();
  return {
    fetch: (request, by = "") => {
      const name = by === "" ? ANYBODY : by;
      const client =
        clients.get(name) ?? new HttpClient(supervisor, { elicitation: false, ...options }, name);
      clients.set(name, client);
      return client.fetch(request);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...clients.values()].map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

/** Whoever has one token: states of questions are signed for it alone, and what waits for it is counted together. */
class HttpClient implements AsyncDisposable {
  readonly #shared: Connection;
  readonly #handler;
  readonly #sessions: LegacySessions;

  constructor(supervisor: Supervisor, options: McpOptions, client: string) {
    const shared = new Connection(supervisor, options, client);
    this.#shared = shared;
    this.#handler = createMcpHandler(
      serversOf(supervisor, () => shared),
      { legacy: "reject", maxRequestBodySize: MAX_BODY_BYTES },
    );
    this.#sessions = new LegacySessions({ supervisor, options, client, shared });
  }

  async fetch(request: Request): Promise<Response> {
    const body = await readRequestBody(request.clone(), MAX_BODY_BYTES);
    const why = body.tooLarge ? null : whyRefused(body.text);
    if (why !== null) return badRequest(refusal(null, why));
    return (await isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES }))
      ? this.#sessions.fetch(request)
      : this.#handler.fetch(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handler.close();
    await this.#sessions[Symbol.asyncDispose]();
    await this.#shared[Symbol.asyncDispose]();
  }
}

function badRequest(body: string): Response {
  return new Response(body, { status: 400, headers: { "content-type": "application/json" } });
}
