import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { CofferdamError, visible } from "../errors.ts";
import { codeOf } from "../host/system-error.ts";
import type { ApprovalApp } from "./app.ts";
import { misframed } from "./framing.ts";
import { HEADERS, jsonResponse } from "./headers.ts";
import type { ListenAddress } from "./listen.ts";
import { type HttpRefusal, refusal } from "./refusal.ts";
import { UnansweredRequests } from "./unanswered.ts";

/** Limits of a connection before its owner is known. */
const BOUNDS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  // A request without a host is refused like one for another host.
  requireHostHeader: false,
} as const;
/** Connections besides those that follow events. */
const OTHERS = 256;
/** An idle connection is ended after this time; heartbeats are more frequent. */
const SILENT_MS = 120_000;
/** Maximum time for unfinished answers at the end, and the interval of the check. */
const GRACE_MS = 1_000;
const LOOK_MS = 20;
/** A reserved name (RFC 2606), used if a host is missing. */
const UNNAMED = "unnamed.invalid";

/** A Node server with limits on what it accepts from clients. */
export class NodeServer {
  /** Null on a unix socket. */
  readonly port: number | null;
  readonly #server: Server;
  readonly #serving: Serving;

  private constructor(server: Server, serving: Serving) {
    this.#server = server;
    this.#serving = serving;
    const address = server.address();
    this.port = typeof address === "object" && address !== null ? address.port : null;
  }

  /** Listens, without answering yet. Throws `USAGE` if the address is not available. */
  static async listen(at: ListenAddress, maxSubscribers: number): Promise<NodeServer> {
    const serving = new Serving();
    const server = createServer(BOUNDS, (incoming, outgoing) => serving.answer(incoming, outgoing));
    server.maxConnections = maxSubscribers + OTHERS;
    server.setTimeout(SILENT_MS);
    server.on("clientError", (cause, socket) => serving.refuse(null, socket, refusalFor(cause)));
    server.on("connect", (incoming, socket) => serving.refuse(incoming, socket, refusal("METHOD_UNKNOWN")));
    server.on("checkExpectation", (incoming, outgoing) =>
      serving.answer(incoming, outgoing, refusal("EXPECTATION_UNKNOWN")),
    );
    server.on("connection", (socket) => serving.greet(socket));
    server.on("drop", (dropped?: { readonly remoteAddress?: string }) =>
      serving.noteDrop(dropped?.remoteAddress ?? null),
    );
    try {
      server.listen(at.kind === "socket" ? { path: at.path } : { host: at.address, port: at.port });
      await once(server, "listening");
    } catch (cause) {
      const where = at.kind === "socket" ? at.path : `${at.address}:${at.port}`;
      throw new CofferdamError("USAGE", `${visible(where)} can't be listened on: ${codeOf(cause)}`, {
        hint: "use another address, or port 0 for any free port",
        cause,
      });
    }
    // A connection that cannot be accepted (for example without free descriptors) must not end the process.
    server.on("error", () => serving.noteDrop(null));
    return new NodeServer(server, serving);
  }

  /** Answers clients from now on. */
  serve(app: ApprovalApp): void {
    this.#serving.app = app;
  }

  /** Accepts no further connections, and waits a moment for unfinished answers. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    if (!this.#server.listening) return;
    this.#server.close();
    this.#serving.dismiss();
    // A connection becomes idle slightly later than its answer.
    const looking = setInterval(() => this.#server.closeIdleConnections(), LOOK_MS);
    const ending = setTimeout(() => this.#server.closeAllConnections(), GRACE_MS);
    await closed;
    clearInterval(looking);
    clearTimeout(ending);
  }
}

/** Answers requests by an app, once there is one, and refuses what an app cannot get. */
class Serving {
  app: ApprovalApp | null = null;
  /** Connections without a request so far: browsers open some in advance. */
  readonly #silent = new Set<Socket>();
  readonly #unanswered = new UnansweredRequests();

  greet(socket: Socket): void {
    this.#silent.add(socket);
    socket.once("close", () => this.#silent.delete(socket));
  }

  /** Ends the connections without a request: Node does not count them as idle. */
  dismiss(): void {
    for (const socket of this.#silent) socket.destroy();
  }

  /** Answers one request; `why` is the refusal of its head. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse, why = misframed(incoming)): void {
    const { app } = this;
    const { socket } = incoming;
    this.#silent.delete(socket);
    // Node goes on to the end of a received chunk, even if the connection is destroyed.
    if (app === null || socket.destroyed) {
      outgoing.destroy();
      return;
    }
    if (!this.#unanswered.add(socket, outgoing)) {
      this.#note(incoming, socket.remoteAddress ?? null, refusal("REQUESTS_TOO_MANY"));
      socket.destroy();
      return;
    }
    if (why !== null) {
      this.#refuse(incoming, outgoing, why);
      return;
    }
    const listener = getRequestListener((request, env) => app.fetch(request, env), {
      // Not a valid request: its name or path fits in no URL.
      errorHandler: () => {
        const malformed = refusal("REQUEST_MALFORMED");
        this.#note(incoming, socket.remoteAddress ?? null, malformed);
        return jsonResponse(malformed.status, bodyOf(malformed), { connection: "close" });
      },
      overrideGlobalObjects: false,
      hostname: UNNAMED,
    });
    void listener(incoming, outgoing);
  }

  /** Refuses a request on a connection, and ends that. */
  refuse(incoming: IncomingMessage | null, socket: Duplex, why: HttpRefusal | null): void {
    // A client that has left, or is being answered, gets nothing.
    const isAnswered = "_httpMessage" in socket && Boolean(socket._httpMessage);
    if (why === null || !socket.writable || isAnswered) return void socket.destroy();
    this.#note(incoming, "remoteAddress" in socket ? String(socket.remoteAddress) : null, why);
    const { headers, body } = lastAnswer(why);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${why.status} ${STATUS_CODES[why.status] ?? ""}\r\n${lines.join("")}\r\n${body}`,
      () => socket.destroy(),
    );
  }

  /** Too many connections: they get no answer. */
  noteDrop(from: string | null): void {
    this.#note(null, from, refusal("CONNECTIONS_TOO_MANY"));
  }

  /** Refuses a request in its turn, and then ends its connection. */
  #refuse(incoming: IncomingMessage, outgoing: ServerResponse, why: HttpRefusal): void {
    this.#note(incoming, incoming.socket.remoteAddress ?? null, why);
    const { headers, body } = lastAnswer(why);
    outgoing.writeHead(why.status, headers).end(body);
  }

  #note(incoming: IncomingMessage | null, from: string | null, why: HttpRefusal): void {
    // Neither the query nor the host, as in an app: a password may be before `@`.
    const [path = ""] = (incoming?.url ?? "").replace(/^https?:\/\/[^/?]*/i, "").split("?", 1);
    this.app?.note({ method: incoming?.method ?? "", path, from }, why);
  }
}

function lastAnswer(why: HttpRefusal): { readonly headers: Record<string, string>; readonly body: string } {
  const body = JSON.stringify(bodyOf(why));
  const headers = {
    ...HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  return { headers, body };
}

function bodyOf({ code, message, hint }: HttpRefusal): unknown {
  return { error: { code, message, hint } };
}

/** The refusal for an error of a parser or a timer; null if the client has left. */
function refusalFor(cause: Error): HttpRefusal | null {
  switch (codeOf(cause)) {
    case "HPE_HEADER_OVERFLOW":
      return refusal("HEADERS_TOO_LARGE");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refusal("REQUEST_SLOW");
    case "ECONNRESET":
    case "EPIPE":
      return null;
    default:
      return refusal("REQUEST_MALFORMED");
  }
}
