import { thrownText, visible } from "../../errors.ts";
import { inTurns, otherTurns } from "../../host/turns.ts";
import type { Profile } from "../../profile/profile.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";
import type { ClientRequest, ClientRequests } from "./client-requests.ts";
import { ForwardedRequests } from "./forwarded-requests.ts";
import {
  type Id,
  type InvalidMessage,
  idOf,
  type JsonObject,
  type JsonRpcMessage,
  memberOf,
  objectOf,
  parseMessages,
  printMessage,
  turnsIfLarge,
} from "./json-rpc.ts";
import { LineReader } from "./line-reader.ts";
import { Outbox } from "./outbox.ts";
import { CODES, errorResponse, hasInputRequests, requiresInput, responseFor } from "./responses.ts";
import { withVisibleRoots } from "./roots.ts";
import { endText, type RunningServer, type ServerStart } from "./server-process.ts";
import { type ServerRequestOptions, ServerRequests } from "./server-requests.ts";
import { ToolCalls } from "./tool-calls.ts";
import { ToolList } from "./tool-list.ts";

const MAX_INVALID_MESSAGES = 100;
const MAX_REPORTED_MESSAGES = 3;

/** The two sides of a gateway, and the gate between them. */
export interface GatewayOptions extends Omit<ServerRequestOptions, "outbox" | "profile"> {
  readonly policy: Pick<McpServer, "annotations">;
  /** Maximum time of the server for one request, in milliseconds; null for no limit. */
  readonly wallMs: number | null;
  readonly requests: ClientRequests;
  /** Starts the server at the client's first message. Returns the outcome if it did not start. */
  readonly start: ServerStart;
}

/**
 * Relays messages between an MCP client and a sandboxed server. Each message is parsed, checked and printed again. Tool
 * calls and the server's requests to the client go through the gate. Lists of tools and roots are filtered. All else is
 * forwarded with the same content. A server's message reaches the client only if the client requested it or the server
 * may send it unrequested.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #tools: ToolList;
  readonly #calls: ToolCalls;
  readonly #serverRequests: ServerRequests;
  readonly #forwarded: ForwardedRequests;
  readonly #clientLines = new LineReader();
  readonly #serverLines = new LineReader();
  readonly #outbox = new Outbox(() => this.end("it does not read its input"));
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<string>();
  #server: RunningServer | null = null;
  #isStarting = false;
  #hasEnded = false;
  #invalid = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { server, wallMs, policy, report } = options;
    const outbox = this.#outbox;
    this.#tools = new ToolList(server, policy.annotations, report);
    const profile = (): Profile | null => this.#server?.profile ?? null;
    this.#serverRequests = new ServerRequests({ ...options, outbox, profile });
    this.#forwarded = new ForwardedRequests(server, wallMs, outbox, this.#serverRequests);
    const { promise: started } = this.#started;
    this.#calls = new ToolCalls({ ...options, started, tools: this.#tools, forward: this.#forward });
  }

  /** Resolves with the reason when the gateway has ended. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  /** Handles bytes of the client; resolves when more can be read. */
  async readClient(chunk: Buffer): Promise<void> {
    for (const line of this.#clientLines.read(chunk)) {
      if (line.kind === "too-long") this.#refuse("the message is too long", null);
      else
        for (const message of await inTurns(parseMessages(line.text, line.kind === "text"))) {
          this.#routeClient(message);
          await otherTurns();
        }
    }
    await this.#outbox.untilRoom();
  }

  /** Handles bytes of the server; resolves when its messages were read or have room to wait. */
  readonly readServer = async (chunk: Buffer): Promise<void> => {
    const isEarly = this.#server === null;
    for (const line of this.#serverLines.read(chunk)) {
      if (line.kind === "too-long") this.end("it sent a message that is too long");
      else if (isEarly) this.#drop("it was sent before the first request");
      else
        for (const message of await inTurns(parseMessages(line.text, line.kind === "text"))) {
          this.#routeServer(message);
          await otherTurns();
        }
    }
    await this.#options.client.drained;
    await this.#outbox.untilRoom();
  };

  /** Ends the gateway: waiting requests are answered with the reason, and nothing is forwarded any more. */
  readonly end = (because: string): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const response = errorResponse(
      CODES.server,
      `the MCP server ${this.#options.server} stopped: ${because}`,
    );
    this.#outbox.close();
    this.#serverRequests.end();
    this.#options.requests.end(response);
    this.#forwarded.settleAll(response);
    this.#started.resolve();
    this.#ended.resolve(because);
  };

  #routeClient(message: JsonRpcMessage | InvalidMessage): void {
    if (this.#hasEnded) return;
    const { bridge, requests } = this.#options;
    switch (message.kind) {
      case "fault":
        if (message.isResponse) this.#settle(message.id, errorResponse(CODES.internal, message.because));
        else this.#refuse(message.because, message.id);
        break;
      case "request": {
        if (message.method === "initialize") bridge.onInitialize(message.params);
        const request = requests.open(message);
        if (request !== null) void this.#respond(request);
        void this.#start();
        break;
      }
      case "notification":
        this.#routeClientNotification(message.method, message.params);
        void this.#start();
        break;
      case "response":
        this.#settle(message.id, message.response);
    }
  }

  /** Handles a response of the client, to a question of ours or to a request of the server. */
  #settle(id: Id | null, response: JsonObject): void {
    if (!this.#options.bridge.handleResponse(id, response)) this.#serverRequests.handleResponse(id, response);
  }

  /** A cancellation also ends the approval request about the cancelled request. */
  #routeClientNotification(method: string, params: JsonObject | null): void {
    if (method === "notifications/cancelled") {
      const id = idOf(memberOf(params, "requestId"));
      const request = id === null ? null : this.#options.requests.cancel(id);
      if (request !== null && request.sentAs !== null) this.#forwarded.cancel(request.sentAs, params ?? {});
    } else if (method.startsWith("notifications/"))
      this.#outbox.send(printMessage({ method, ...(params === null ? {} : { params }) }));
    // A server may act on a request method sent as a notification, and it would bypass the gate.
    else this.#options.report(`${visible(method)} from the client`, NOT_A_NOTIFICATION);
  }

  async #respond(request: ClientRequest): Promise<void> {
    const { requests } = this.#options;
    const { method, params, hasParams, isModern } = request;
    try {
      const response =
        method === "tools/call"
          ? await this.#calls.call(request)
          : await this.#forward(request, hasParams ? params : null);
      const isList = response !== null && method === "tools/list";
      requests.respond(request, isList ? this.#filterTools(request, response) : response);
    } catch (error) {
      requests.respond(request, responseFor({ kind: "failed", error }, isModern));
    }
  }

  /** Sends a request to the server, after its sandbox was checked again. */
  readonly #forward = async (
    request: ClientRequest,
    params: JsonObject | null,
  ): Promise<JsonObject | null> => {
    if (this.#server === null) await this.#started.promise;
    const changes = this.#server?.changes() ?? [];
    if (changes.length > 0) this.end(`its sandbox has changed: ${changes.join("; ")}`);
    if (this.#hasEnded || this.#server === null || request.stop.signal.aborted) return null;
    const shown = params === null ? null : withVisibleRoots(params, this.#server.profile);
    request.sentAs = request.id ?? `cofferdam:${request.key}`;
    const response = await this.#forwarded.send(request.sentAs, request.method, shown);
    await turnsIfLarge(response);
    const needsCheck = response !== null && requiresInput(response);
    const checked = needsCheck ? await this.#checkInputRequests(request, response) : response;
    await turnsIfLarge(response);
    return checked;
  };

  /** Checks the server's input requests at the gate. If one is denied, none reaches the client. */
  async #checkInputRequests(request: ClientRequest, response: JsonObject): Promise<JsonObject> {
    const checked = await this.#serverRequests.checkInputRequests(response, request);
    if (typeof checked !== "string") return checked;
    const hint = "change `sampling` or `elicitation` of this server in the config";
    return request.method === "tools/call"
      ? responseFor({ kind: "denied", code: "APPROVAL_DENIED", reason: checked, hint }, request.isModern)
      : errorResponse(CODES.server, `Denied: ${checked}`);
  }

  #filterTools(request: ClientRequest, response: JsonObject): JsonObject {
    const page = objectOf(response["result"]);
    if (page === null) return response;
    const result = this.#tools.filter(page, memberOf(request.params, "cursor") === undefined);
    if (result !== null) return { result };
    return errorResponse(CODES.internal, "invalid `tools/list` result from the MCP server");
  }

  #routeServer(message: JsonRpcMessage | InvalidMessage): void {
    if (this.#hasEnded) return;
    switch (message.kind) {
      case "fault":
        if (message.isResponse && message.id !== null)
          this.#forwarded.settleInvalid(message.id, message.because);
        this.#drop(message.because);
        break;
      case "request":
        this.#serverRequests.handle(message);
        break;
      case "notification":
        this.#routeServerNotification(message.method, message.params);
        break;
      case "response":
        if (message.id === null || !this.#forwarded.settle(message.id, message.response))
          this.#drop("it is a response to an unknown request `id`");
    }
  }

  #routeServerNotification(method: string, params: JsonObject | null): void {
    const id = idOf(memberOf(params, "requestId"));
    const isCancelled = method === "notifications/cancelled";
    if (isCancelled && id !== null) this.#serverRequests.cancel(id);
    // A stream that the client opened is cancelled by its own id.
    const isForClient = !isCancelled || (id !== null && this.#forwarded.has(id));
    if (!method.startsWith("notifications/")) this.#drop(NOT_A_NOTIFICATION);
    else if (hasInputRequests(params))
      this.#options.report(visible(method), "a notification must not contain input requests");
    else if (isForClient) this.#options.client.send({ method, ...(params === null ? {} : { params }) });
  }

  async #start(): Promise<void> {
    if (this.#isStarting || this.#hasEnded) return;
    this.#isStarting = true;
    try {
      const server = await this.#options.start(this.readServer, this.end);
      if (server.kind !== "resident") this.end(endText(server));
      if (this.#hasEnded || server.kind !== "resident") return;
      this.#server = server;
      this.#outbox.open(server.input);
      this.#started.resolve();
    } catch (cause) {
      this.end(thrownText(cause));
    }
  }

  #refuse(because: string, id: Id | null): void {
    this.#options.client.send({ id, ...errorResponse(CODES.invalidRequest, because) });
  }

  #drop(because: string): void {
    if (this.#hasEnded) return;
    this.#invalid += 1;
    if (this.#invalid <= MAX_REPORTED_MESSAGES) this.#options.report("a message", because);
    if (this.#invalid > MAX_INVALID_MESSAGES) this.end("it sent too many invalid messages");
  }
}

const NOT_A_NOTIFICATION = "the method of a notification must start with `notifications/`";
