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
import type { ListenAt } from "./listen.ts";
import { type Refusal, refusal } from "./refusal.ts";
import { Unanswered } from "./unanswered.ts";

/** What a connection may cost before it is known whose it is. */
const BOUNDS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  // A request that does not say whom it is for is refused like one for somebody else.
  requireHostHeader: false,
} as const;
/** Connections besides those that follow events. */
const OTHERS = 256;
/** A connection on which nothing moves for so long is ended; heartbeats are more frequent. */
const SILENT_MS = 120_000;
/** How long answers that are on their way may take at the end, and how often it is looked. */
const GRACE_MS = 1_000;
const LOOK_MS = 20;
/** A name that nobody has (RFC 2606), in place of one that is missing. */
const UNNAMED = "unnamed.invalid";

/** A server of Node's, bounded in what it takes from whoever connects. */
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

  /** Listens; nobody is answered yet. Throws `USAGE` where the address can't be had. */
  static async listen(at: ListenAt, mostSubscribers: number): Promise<NodeServer> {
    const serving = new Serving();
    const server = createServer(BOUNDS, (incoming, outgoing) => serving.answer(incoming, outgoing));
    server.maxConnections = mostSubscribers + OTHERS;
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
        hint: "use another address, or port 0 for one that is free",
        cause,
      });
    }
    // A connection that can't be taken, as where there are no descriptors left, must not end the process.
    server.on("error", () => serving.noteDrop(null));
    return new NodeServer(server, serving);
  }

  /** Answers whoever connects, from now on. */
  serve(app: ApprovalApp): void {
    this.#serving.app = app;
  }

  /** Takes nobody in any more, and waits a moment for answers that are on their way. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    if (!this.#server.listening) return;
    this.#server.close();
    this.#serving.dismiss();
    // One that has just been answered is idle a little later.
    const looking = setInterval(() => this.#server.closeIdleConnections(), LOOK_MS);
    const ending = setTimeout(() => this.#server.closeAllConnections(), GRACE_MS);
    await closed;
    clearInterval(looking);
    clearTimeout(ending);
  }
}

/** Answers requests by an app, once there is one; and what is none that an app could get. */
class Serving {
  app: ApprovalApp | null = null;
  /** Connections on which nothing was asked so far: browsers open some in advance. */
  readonly #silent = new Set<Socket>();
  readonly #unanswered = new Unanswered();

  /** Somebody has connected. */
  greet(socket: Socket): void {
    this.#silent.add(socket);
    socket.once("close", () => this.#silent.delete(socket));
  }

  /** Ends the connections on which nothing was asked: for Node, these are not idle. */
  dismiss(): void {
    for (const socket of this.#silent) socket.destroy();
  }

  /** Answers one request; `why` is what its head is refused for. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse, why = misframed(incoming)): void {
    const { app } = this;
    const { socket } = incoming;
    this.#silent.delete(socket);
    // Node goes on to the end of what came in one piece, whatever became of the connection.
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
      this.#tell(incoming, outgoing, why);
      return;
    }
    const listener = getRequestListener((request, env) => app.fetch(request, env), {
      // What is not even a request: a name or a path that no URL can hold.
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

  /** Refuses what came by a connection, and ends that. */
  refuse(incoming: IncomingMessage | null, socket: Duplex, why: Refusal | null): void {
    // Whoever has gone, and whoever is being answered, is told nothing.
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

  /** More connected than are served: nothing is said to them. */
  noteDrop(from: string | null): void {
    this.#note(null, from, refusal("CONNECTIONS_TOO_MANY"));
  }

  /** Refuses a request in its turn, and ends its connection then. */
  #tell(incoming: IncomingMessage, outgoing: ServerResponse, why: Refusal): void {
    this.#note(incoming, incoming.socket.remoteAddress ?? null, why);
    const { headers, body } = lastAnswer(why);
    outgoing.writeHead(why.status, headers).end(body);
  }

  #note(incoming: IncomingMessage | null, from: string | null, why: Refusal): void {
    // Neither its query nor whom it names, as an app would: a password may stand before `@`.
    const [path = ""] = (incoming?.url ?? "").replace(/^https?:\/\/[^/?]*/i, "").split("?", 1);
    this.app?.note({ method: incoming?.method ?? "", path, from }, why);
  }
}

/** The head and body of a refusal behind which nothing comes. */
function lastAnswer(why: Refusal): { readonly headers: Record<string, string>; readonly body: string } {
  const body = JSON.stringify(bodyOf(why));
  const headers = {
    ...HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  return { headers, body };
}

function bodyOf({ code, message, hint }: Refusal): unknown {
  return { error: { code, message, hint } };
}

/** What a parser's or a timer's complaint means; null where there is nobody to tell. */
function refusalFor(cause: Error): Refusal | null {
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
