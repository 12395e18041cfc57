import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { assertOptions } from "../supervisor/options.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { Connection, MCP_OPTIONS, type McpOptions } from "./connection.ts";
import { serversOf } from "./server.ts";

/** MCP over HTTP, for whoever serves it behind a door of their own: nobody is asked for a token here. */
export interface McpHttp extends AsyncDisposable {
  /** Answers one request of the streamable transport; `by` is whose it is, by the token that it came with. */
  readonly fetch: (request: Request, by?: string) => Promise<Response>;
}

/** So many clients of the older protocol may be connected at once; of more, the one that was heard of longest ago is let go. */
const MOST_SESSIONS = 256;
const MOST_BODY = 4 * 1024 ** 2;

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
      const client = clients.get(by) ?? new HttpClient(supervisor, { elicitation: false, ...options });
      clients.set(by, client);
      return client.fetch(request);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...clients.values()].map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

/** Whoever has one token: states of questions are signed for it alone. */
class HttpClient implements AsyncDisposable {
  readonly #shared: Connection;
  readonly #handler;
  readonly #sessions: Sessions;

  constructor(supervisor: Supervisor, options: McpOptions) {
    this.#shared = new Connection(supervisor, options);
    this.#handler = createMcpHandler(
      serversOf(supervisor, () => this.#shared),
      { legacy: "reject", maxRequestBodySize: MOST_BODY },
    );
    this.#sessions = new Sessions(supervisor, options);
  }

  async fetch(request: Request): Promise<Response> {
    return (await isLegacyRequest(request, undefined, { maxRequestBodySize: MOST_BODY }))
      ? this.#sessions.fetch(request)
      : this.#handler.fetch(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handler.close();
    await this.#sessions[Symbol.asyncDispose]();
    await this.#shared[Symbol.asyncDispose]();
  }
}

/** One client of the older protocol. */
interface LegacySession extends AsyncDisposable {
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/** The clients of the older protocol, each with what it was granted. */
class Sessions implements AsyncDisposable {
  readonly #supervisor: Supervisor;
  readonly #options: McpOptions;
  readonly #sessions = new Map<string, LegacySession>();

  constructor(supervisor: Supervisor, options: McpOptions) {
    this.#supervisor = supervisor;
    this.#options = options;
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request);
    const session = this.#sessions.get(id);
    if (session === undefined) return refused(404, -32001, "there is no session under this id: begin anew");
    // Who was heard of last is let go last.
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport.handleRequest(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #begin(request: Request): Promise<Response> {
    const connection = new Connection(this.#supervisor, this.#options);
    const factory: McpServerFactory = serversOf(this.#supervisor, () => connection);
    const server = await factory({ era: "legacy" });
    let begun: string | null = null;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MOST_BODY,
      onsessioninitialized: async (id) => {
        begun = id;
        this.#sessions.set(id, {
          transport,
          [Symbol.asyncDispose]: async () => {
            await server.close();
            await connection[Symbol.asyncDispose]();
          },
        });
        const [oldest] = this.#sessions.keys();
        if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) await this.#end(oldest);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // What does not begin a session leaves none behind.
    if (begun === null) await connection[Symbol.asyncDispose]();
    return response;
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.[Symbol.asyncDispose]();
  }
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
