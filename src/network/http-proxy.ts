import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { PROXY_USER } from "../backend/proxy-way.ts";
import {
  answerTo,
  asBytes,
  BAD_REQUEST,
  bodyOf,
  NOT_FORWARDED,
  type ProxyAnswer,
  TOO_LONG,
  WANTS_CREDENTIAL,
} from "./answer.ts";
import { hasBody, isWhole } from "./body-end.ts";
import type { CallEgress } from "./call-egress.ts";
import type { Clients } from "./clients.ts";
import type { CountedConnection } from "./connection.ts";
import { dismiss } from "./dismiss.ts";
import { endToEnd, foreignCodingOf, framingOf } from "./headers.ts";
import { inWords } from "./in-words.ts";
import { WithoutCredentials, whyWithheld } from "./proxy-credentials.ts";
import { tunnel } from "./tunnel.ts";

/** Maximum of bytes of the head of a request or an answer. */
const MAX_HEAD = 32 * 1024;

/** Maximum of interim answers before the final one (RFC 9110, section 15.2); one or two are usual. */
const MAX_HINTS = 16;

const IDLE_MS = 5_000;

/** HTTP as proxies speak it (RFC 9110, section 9.3.6; RFC 9112, section 3.2.2): CONNECT, and whole `http://` URLs. */
export class HttpProxy {
  readonly #server: Server;
  readonly #clients: Clients;

  constructor(clients: Clients) {
    this.#clients = clients;
    const server = createServer({
      maxHeaderSize: MAX_HEAD,
      keepAliveTimeout: IDLE_MS,
      // Set explicitly, so that no option of Node can loosen it.
      insecureHTTPParser: false,
      requireHostHeader: false,
      // `clients` limits the time of a head; a body may take as long as the call.
      headersTimeout: 0,
      requestTimeout: 0,
    });
    // An error of one connection ends only that one.
    server.on("request", (asked, answer) => {
      if (asked.socket.writableEnded) return;
      this.#forward(asked, answer).catch(() => answer.destroy());
    });
    server.on("connect", (asked, client, head) => {
      this.#connect(asked, client, head).catch(() => client.destroy());
    });
    server.on("clientError", (error, client) => this.#misread(error, client));
    this.#server = server;
  }

  serve(client: Socket): void {
    // The rest of a body would break the last answer if the connection were closed with it (RFC 9112, section 9.6).
    client.destroySoon = () => dismiss(client);
    this.#server.emit("connection", client);
  }

  /** Malformed or oversized HTTP, or a client that hangs up in the middle, which is not reported. */
  #misread(error: Error, client: Duplex): void {
    const code = "code" in error ? String(error.code) : "";
    const isCutShort =
      code === "HPE_INVALID_EOF_STATE" && client instanceof Socket && this.#clients.isAsking(client);
    if (!code.startsWith("HPE_") || isCutShort || client.writableEnded) {
      client.destroy();
      return;
    }
    const isTooLong = code === "HPE_HEADER_OVERFLOW";
    this.#clients.note(
      "malformed",
      isTooLong ? "the request header is too long" : "the proxy got invalid HTTP",
    );
    if (client.writable) refuse(client, isTooLong ? TOO_LONG : BAD_REQUEST);
    else client.destroy();
  }

  async #connect(asked: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => undefined);
    if (!(client instanceof Socket)) return;
    // At once: an empty stream ends for good as soon as the program has ended its side.
    if (head.length > 0) client.unshift(head);
    if (client.writableEnded) {
      client.destroy();
      return;
    }
    // Answers still under way would otherwise be sent inside the tunnel.
    if (this.#clients.isAsking(client)) {
      this.#clients.note("malformed", "a tunnel was requested during another request");
      client.destroy();
      return;
    }
    this.#clients.asked(client);
    const [, host, port] = /^(.*):(\d{1,5})$/s.exec(asked.url ?? "") ?? [];
    if (host === undefined) return refuse(client, BAD_REQUEST);
    const place = { host, port: Number(port) };
    const egress = this.#callerOf(client, asked, place);
    if (egress === null) return refuse(client, WANTS_CREDENTIAL);
    const reached = await egress.reach(place.host, place.port);
    if (reached.kind !== "reached") return refuse(client, answerTo(reached));
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    tunnel(client, reached.connection, egress);
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const client = asked.socket;
    this.#clients.asked(client);
    asked.on("error", () => undefined);
    answer.on("error", () => undefined);
    answer.once("close", () => this.#clients.answered(client));
    const [, authority, path] = /^http:\/\/([^/?#]*)([^#]*)/i.exec(asked.url ?? "") ?? [];
    const [, host, port] = /^(.*?)(?::(\d{0,5}))?$/s.exec(authority ?? "") ?? [];
    if (host === undefined || host === "") return say(answer, BAD_REQUEST);
    const place = { host, port: Number(port === undefined || port === "" ? 80 : port) };
    const egress = this.#callerOf(client, asked, place);
    if (egress === null) return say(answer, WANTS_CREDENTIAL);
    if (asked.method === "TRACE" || asked.headers["max-forwards"] !== undefined)
      return say(answer, NOT_FORWARDED);
    const reached = await egress.reach(place.host, place.port, "page");
    if (reached.kind !== "reached") return say(answer, answerTo(reached));
    const { connection } = reached;
    if (answer.destroyed) connection.socket.destroy();
    else {
      const whole = path === undefined || path === "" ? "/" : path.replace(/^\?/, "/?");
      exchange(asked, answer, connection, whole, egress);
    }
  }

  #callerOf(
    client: Socket,
    asked: IncomingMessage,
    place: { readonly host: string; readonly port: number },
  ): CallEgress | null {
    const header = asked.headers["proxy-authorization"];
    if (header === undefined) return null;
    const [, encoded] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
    const [, user, secret] =
      /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString("latin1")) ?? [];
    return this.#clients.callerOf(client, user === PROXY_USER ? (secret ?? "") : "", place);
  }
}

/** Sends the same request to the server and returns its answer. Each request has a connection of its own. */
function exchange(
  asked: IncomingMessage,
  answer: ServerResponse,
  connection: CountedConnection,
  path: string,
  egress: CallEgress,
): void {
  const { socket } = connection;
  const moved = (): void => connection.moved();
  const fail = (error: unknown): void => {
    socket.destroy();
    if (answer.headersSent) answer.destroy();
    else say(answer, answerTo({ kind: "failed", reason: inWords(error) }));
  };
  const sent = attempt(() => requestFor(asked, connection, path), fail);
  if (sent === null) return;
  // A server may have answered anyway, and not want the rest of the request.
  sent.on("error", (error) => {
    if (!answer.headersSent) fail(error);
  });
  sent.once("close", () => {
    asked.resume();
    if (!answer.headersSent) fail(new Error("the server closed the connection without an answer"));
  });
  let hints = 0;
  sent.on("information", () => {
    hints += 1;
    moved();
    if (hints > MAX_HINTS) fail(new Error("the server sent too many interim answers"));
  });
  sent.on("response", (response) => {
    response.on("error", fail);
    response.on("data", moved);
    response.once("close", () => {
      if (!response.complete) answer.destroy();
    });
    const { pagesBy } = connection;
    const without = (reason: string): void => fail(egress.withoutProxy(connection.place, reason));
    const reason = pagesBy === null ? null : whyWithheld(response, pagesBy);
    if (reason !== null) {
      without(reason);
      return;
    }
    const body = pagesBy?.hasCredentials === true ? response.pipe(new WithoutCredentials(pagesBy)) : response;
    if (body !== response) body.once("error", ({ message }) => without(message));
    attempt(() => {
      const coding = foreignCodingOf(response);
      if (coding !== null)
        throw new Error(`the server uses the transfer coding ${coding}, which is not supported`);
      answer.writeHead(response.statusCode ?? 502, response.statusMessage, [
        ...endToEnd(response.rawHeaders, []),
      ]);
      body.pipe(answer, { end: false });
      body.once("end", () => {
        if (!hasBody(asked.method, response) || isWhole(response, socket)) answer.end();
        else answer.destroy();
      });
    }, fail);
  });
  asked.on("data", moved);
  answer.once("close", () => socket.destroy());
  // A server may answer before the body comes.
  sent.flushHeaders();
  asked.pipe(sent);
}

/** The same request, as a proxy sends it on. Throws for a request that Node refuses to send. */
function requestFor(
  asked: IncomingMessage,
  { socket, place, pagesBy }: CountedConnection,
  path: string,
): ClientRequest {
  const name = place.host.includes(":") ? `[${place.host}]` : place.host;
  const host = place.port === 80 ? name : `${name}:${place.port}`;
  // A packed answer could not be searched for the credentials.
  const isSearched = pagesBy?.hasCredentials === true;
  return request({
    method: asked.method ?? "GET",
    path: pagesBy === null ? path : `http://${host}${path}`,
    setHost: false,
    headers: [
      ...["Host", host],
      ...(pagesBy?.authorization() ?? []),
      ...endToEnd(asked.rawHeaders, ["host", "content-length", ...(isSearched ? ["accept-encoding"] : [])]),
      ...(isSearched ? ["Accept-Encoding", "identity"] : []),
      ...framingOf(asked),
      ...["Connection", "close"],
    ],
    createConnection: () => socket,
    maxHeaderSize: MAX_HEAD,
    insecureHTTPParser: false,
  });
}

/** The result; null if it throws, which is reported to `onThrown`. */
function attempt<Made>(make: () => Made, onThrown: (error: unknown) => void): Made | null {
  try {
    return make();
  } catch (error) {
    onThrown(error);
    return null;
  }
}

function say(answer: ServerResponse, { status, title, text, headers }: ProxyAnswer): void {
  const body = bodyOf(text);
  answer.writeHead(status, title, [
    ...headers.flat(),
    ...["Content-Type", "text/plain; charset=utf-8", "Connection", "close"],
    ...["Content-Length", String(Buffer.byteLength(body))],
  ]);
  answer.end(body);
}

function refuse(client: Duplex, answer: ProxyAnswer): void {
  dismiss(client, asBytes(answer));
}
