import { randomUUID } from "node:crypto";
import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { Connection, type McpOptions } from "./connection.ts";
import { serversOf } from "./server.ts";

/** More of a request's body is not read. */
export const MAX_BODY_BYTES = 4 * 1024 ** 2;
/** So many sessions one token may have at once. */
const MAX_SESSIONS = 256;
/** A session whose client was not heard of for so long gives its place to a new one. */
const IDLE_MS = 30 * 60_000;
/** When a client that got no place may come again. */
const RETRY_S = 60;

/** One session of the older protocol. */
interface LegacySession {
  readonly connection: Connection;
  readonly server: Pick<Server, "close">;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** When its client was heard of last, in milliseconds since 1970. */
  heardAt: number;
}

/** Whose sessions they are. */
export interface LegacyClient {
  readonly supervisor: Supervisor;
  readonly options: McpOptions;
  /** Whoever has the token, by name. */
  readonly client: string;
  /** What the same client does by the current protocol. */
  readonly shared: Connection;
}

/**
 * The sessions of one token by the older protocol, from `initialize` until their client ends them. A session that is in use is
 * never ended for a new one. Questions that a session left open are withdrawn when it ends, but not when the server does:
 * then its client comes back, and finds them.
 */
export class LegacySessions implements AsyncDisposable {
  readonly #of: LegacyClient;
  /** In the order in which their clients were heard of. */
  readonly #sessions = new Map<string, LegacySession>();

  constructor(of: LegacyClient) {
    this.#of = of;
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      const isFull = this.#sessions.size >= MAX_SESSIONS && (await this.#idlest()) === null;
      return isFull ? allInUse() : this.#begin(request);
    }
    const session = this.#sessions.get(id);
    if (session === undefined) return refused(404, -32001, "there is no session under this id: begin anew");
    session.heardAt = this.#now();
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
    const { supervisor, options, client } = this.#of;
    const connection = new Connection(supervisor, options, client);
    const server = await serversOf(supervisor, () => connection)({ era: "legacy" });
    let isBegun = false;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: async (id) => {
        isBegun = true;
        this.#sessions.set(id, { connection, server, transport, heardAt: this.#now() });
        // Where others that begin now take every place, it has none itself.
        while (this.#sessions.size > MAX_SESSIONS && this.#sessions.has(id))
          await this.#end((await this.#idlest(id)) ?? id, "its MCP session gave way to a new one");
      },
      onsessionclosed: (id) => this.#end(id, "its MCP session was ended by its client"),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // What does not begin a session leaves none behind.
    if (!isBegun) await connection[Symbol.asyncDispose]();
    return response;
  }

  /** Whose place a new session may have: one that was never used, else the one that was idle longest; null for none. */
  async #idlest(fresh: string | null = null): Promise<string | null> {
    const pending = await this.#of.supervisor.broker.pending();
    const waiting = new Set(pending.map(({ approvalId }) => approvalId));
    const isWaiting = (connection: Connection): boolean =>
      connection.unanswered().some((id) => waiting.has(id));
    const before = this.#now() - IDLE_MS;
    const idle = [...this.#sessions].filter(
      ([id, { connection, heardAt }]) =>
        id !== fresh &&
        (!connection.isUsed || (heardAt <= before && !connection.isBusy && !isWaiting(connection))),
    );
    const unused = idle.find(([, { connection }]) => !connection.isUsed);
    return (unused ?? idle[0])?.[0] ?? null;
  }

  /** Ends a session for good: its client does not come back to it. */
  async #end(id: string, reason: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    await session.server.close();
    await session.connection.withdraw(reason, () => [
      this.#of.shared,
      ...[...this.#sessions.values()].map(({ connection }) => connection),
    ]);
  }

  #now(): number {
    return this.#of.supervisor.shared.host.now();
  }
}

function allInUse(): Response {
  const response = refused(
    503,
    -32000,
    "all sessions of this token are in use: end one, or come again later",
  );
  response.headers.set("retry-after", `${RETRY_S}`);
  return response;
}

function refused(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
