import { randomUUID } from "node:crypto";
import { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Supervisor } from "../session/supervisor.ts";
import { McpConnection, type McpOptions } from "./connection.ts";
import { serversOf, tellChanges } from "./server.ts";

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 4 * 1024 ** 2;
const MAX_SESSIONS_OF_TOKEN = 256;
/** A session without requests for this time can be replaced by a new one. */
const IDLE_MS = 30 * 60_000;
/** The `Retry-After` if all sessions are in use, in seconds. */
const RETRY_S = 60;

interface LegacySession {
  readonly connection: McpConnection;
  readonly server: Pick<Server, "close">;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  lastRequestMs: number;
}

/** The client that owns the sessions. */
export interface LegacyClient {
  readonly supervisor: Supervisor;
  readonly options: McpOptions;
  /** The name of the token's owner. */
  readonly client: string;
  /** The connection of the same client in the current protocol. */
  readonly shared: McpConnection;
}

/**
 * The sessions of one token in the older protocol. A new session never replaces one in use. Its open requests are
 * withdrawn when it ends, but not if the server ends: the client then returns and finds them.
 */
export class LegacySessions implements AsyncDisposable {
  readonly #owner: LegacyClient;
  /** Sorted by the time of the last request, oldest first. */
  readonly #sessions = new Map<string, LegacySession>();

  constructor(owner: LegacyClient) {
    this.#owner = owner;
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      if (this.#sessions.size < MAX_SESSIONS_OF_TOKEN || (await this.#replaceable()) !== null)
        return this.#begin(request);
      const problem = "all sessions of this token are in use: end one, or try again later";
      return errorReply(503, -32000, problem, { "retry-after": `${RETRY_S}` });
    }
    const session = this.#sessions.get(id);
    if (session === undefined) return errorReply(404, -32001, "unknown session id: start a new session");
    session.lastRequestMs = this.#now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session.transport.handleRequest(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(
      sessions.map(async ({ server, connection }) => {
        await server.close();
        await connection[Symbol.asyncDispose]();
      }),
    );
  }

  async #begin(request: Request): Promise<Response> {
    const { supervisor, options, client } = this.#owner;
    const connection = new McpConnection(supervisor, options, client);
    const server = await serversOf(supervisor, () => connection)({ era: "legacy" });
    let isBegun = false;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: async (id) => {
        isBegun = true;
        this.#sessions.set(id, { connection, server, transport, lastRequestMs: this.#now() });
        // If other new sessions take every place, this one is ended.
        while (this.#sessions.size > MAX_SESSIONS_OF_TOKEN && this.#sessions.has(id))
          await this.#end((await this.#replaceable(id)) ?? id, "its MCP session was replaced by a new one");
      },
      onsessionclosed: (id) => this.#end(id, "its MCP session was ended by its client"),
    });
    await server.connect(transport);
    const telling = server instanceof Server ? tellChanges(supervisor, server, "legacy") : null;
    const { onclose } = transport;
    transport.onclose = () => {
      telling?.[Symbol.dispose]();
      onclose?.();
    };
    const response = await transport.handleRequest(request);
    // A request that does not begin a session leaves none behind.
    if (!isBegun) await connection[Symbol.asyncDispose]();
    return response;
  }

  /** The session that a new one replaces: an unused one, else the one that was idle longest, else null. */
  async #replaceable(fresh: string | null = null): Promise<string | null> {
    const pending = await this.#owner.supervisor.broker.pending();
    const waiting = new Set(pending.map(({ approvalId }) => approvalId));
    const isWaiting = ({ awaited }: McpConnection): boolean =>
      [...awaited.values()].some((id) => waiting.has(id));
    const before = this.#now() - IDLE_MS;
    const idle = [...this.#sessions].filter(
      ([id, { connection, lastRequestMs }]) =>
        id !== fresh &&
        (!connection.isUsed ||
          (lastRequestMs <= before && connection.operations === 0 && !isWaiting(connection))),
    );
    const unused = idle.find(([, { connection }]) => !connection.isUsed);
    return (unused ?? idle[0])?.[0] ?? null;
  }

  async #end(id: string, reason: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    await session.server.close();
    await session.connection.withdraw(reason, () => [
      this.#owner.shared,
      ...[...this.#sessions.values()].map(({ connection }) => connection),
    ]);
  }

  #now(): number {
    return this.#owner.supervisor.shared.host.now();
  }
}

function errorReply(status: number, code: number, message: string, headers = {}): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers });
}
