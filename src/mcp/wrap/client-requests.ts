import { randomUUID } from "node:crypto";
import { CofferdamError } from "../../errors.ts";
import type { ClientOutput } from "./client-output.ts";
import { type Id, type JsonObject, type JsonRpcRequest, memberOf } from "./json-rpc.ts";
import { CODES, errorResponse } from "./responses.ts";

/** The prefix of the ids of our own requests to the client, and of our `requestState`s. */
export const OWN_PREFIX = "cofferdam:";
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";

const MAX_OPEN_REQUESTS = 1_000;
/** Maximum number of requests that wait for the client's retry. The oldest is dropped before there are more. */
const MAX_SUSPENDED = 256;
/** Params that a client may change when it retries a request with the input. */
const RETRY_PARAMS: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState"]);

/** One request of the client until its response, also if the client retries it with the input under another id. */
export class ClientRequest {
  /** The group id of its approval requests. */
  readonly key: string;
  readonly method: string;
  /** Whether the request declares the client's capabilities itself. */
  readonly isModern: boolean;
  readonly capabilities: unknown;
  readonly hasParams: boolean;
  readonly stop = new AbortController();
  /** The id that the client waits for, or null while it waits for none. */
  id: Id | null;
  /** The id at the server, once it was forwarded. */
  sentAs: Id | null = null;
  /** Its response, if that came while the client did not wait. */
  response: JsonObject | null = null;
  readonly #params: JsonObject;
  #meta: unknown;
  #identity: string | null = null;

  constructor(key: string, { id, method, params }: JsonRpcRequest) {
    this.key = key;
    this.method = method;
    this.hasParams = params !== null;
    this.id = id;
    this.#params = params ?? {};
    this.#meta = memberOf(params, "_meta");
    this.isModern = typeof memberOf(this.#meta, VERSION_KEY) === "string";
    this.capabilities = memberOf(this.#meta, CAPABILITIES_KEY);
  }

  /** Equal for a request and its retry. Another spelling of the same request may have another identity. */
  get identity(): string {
    if (this.#identity === null) {
      const own = Object.entries(this.#params).filter(([name]) => !RETRY_PARAMS.has(name));
      this.#identity = JSON.stringify([this.method, own.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
    }
    return this.#identity;
  }

  /** The params to forward: the original ones, with the latest `_meta`. */
  get params(): JsonObject {
    return this.#meta === undefined ? this.#params : { ...this.#params, _meta: this.#meta };
  }

  continueAs({ id, params }: JsonRpcRequest): void {
    this.id = id;
    this.#meta = memberOf(params, "_meta");
  }
}

interface Suspended {
  readonly request: ClientRequest;
  readonly resolve: (inputResponses: unknown) => void;
  readonly reject: (cause: CofferdamError) => void;
}

/** The open requests of the client. Each gets one response, under its latest id. */
export class ClientRequests {
  readonly #client: ClientOutput;
  readonly #open = new Map<Id, ClientRequest>();
  readonly #byKey = new Map<string, ClientRequest>();
  /** Requests that wait for the client's retry, by `requestState`. */
  readonly #suspended = new Map<string, Suspended>();
  #count = 0;

  constructor(client: ClientOutput) {
    this.#client = client;
  }

  /** Registers a new request. Null if it was refused, or is a retry that continues another one. */
  open(message: JsonRpcRequest): ClientRequest | null {
    const { id, params } = message;
    const problem = this.#problem(id);
    const state = memberOf(params, "requestState");
    if (problem !== null) this.#client.send({ id, ...errorResponse(CODES.invalidRequest, problem) });
    else if (typeof state === "string" && state.startsWith(OWN_PREFIX)) this.#resume(message, state);
    else {
      this.#count += 1;
      const request = new ClientRequest(`mcp-${this.#count}`, message);
      this.#open.set(id, request);
      this.#byKey.set(request.key, request);
      return request;
    }
    return null;
  }

  /** The request whose approval requests have this group id; null if it has ended. */
  find(groupId: string | null): ClientRequest | null {
    return groupId === null ? null : (this.#byKey.get(groupId) ?? null);
  }

  /**
   * Answers with `input_required`. Resolves with the `inputResponses` of the client's retry. Rejects if too many other
   * requests wait for theirs. The random state identifies the request: clients cannot guess it.
   */
  requireInput(request: ClientRequest, inputRequests: JsonObject): Promise<unknown> {
    const [oldest] = this.#suspended;
    if (this.#suspended.size >= MAX_SUSPENDED && oldest !== undefined) {
      this.#suspended.delete(oldest[0]);
      oldest[1].reject(
        new CofferdamError(
          "CHANNEL_CLOSED",
          "too many requests wait for a retry by the MCP client: the oldest was given up",
        ),
      );
    }
    const requestState = `${OWN_PREFIX}${randomUUID()}`;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#suspended.set(requestState, { request, resolve, reject });
    const result = { resultType: "input_required", inputRequests, requestState };
    if (request.id === null) request.response = { result };
    else {
      this.#open.delete(request.id);
      this.#client.send({ id: request.id, result });
      request.id = null;
    }
    return promise;
  }

  /** Sends the response of a request, or keeps it for the retry. Null if the client has cancelled the request. */
  respond(request: ClientRequest, response: JsonObject | null): void {
    const { id } = request;
    if (id === null) request.response = response;
    else if (response !== null && this.#open.get(id) === request) this.#client.send({ id, ...response });
    this.#remove(request);
  }

  /** Ends a request that the client cancels. Null if no such request is open. */
  cancel(id: Id): ClientRequest | null {
    const request = this.#open.get(id) ?? null;
    if (request === null) return null;
    this.#remove(request);
    request.stop.abort();
    return request;
  }

  /** Ends all requests with this response. */
  end(response: JsonObject): void {
    for (const request of [...this.#open.values()]) {
      this.respond(request, response);
      request.stop.abort();
    }
  }

  #problem(id: Id): string | null {
    if (this.#open.has(id)) return "another request with this id is open";
    if (typeof id === "string" && id.startsWith(OWN_PREFIX))
      return `\`id\` must not start with \`${OWN_PREFIX}\``;
    return this.#open.size >= MAX_OPEN_REQUESTS ? "too many requests are open" : null;
  }

  /** Continues the request that waits under a state. Another request must not use its input. */
  #resume(message: JsonRpcRequest, state: string): void {
    const { id, params } = message;
    const suspended = this.#suspended.get(state);
    if (suspended?.request.identity !== new ClientRequest("", message).identity || suspended === undefined) {
      const problem = "`requestState` is unknown or belongs to another request";
      this.#client.send({ id, ...errorResponse(CODES.invalidParams, problem) });
      return;
    }
    const { request, resolve } = suspended;
    this.#suspended.delete(state);
    resolve(memberOf(params, "inputResponses"));
    request.continueAs(message);
    this.#open.set(id, request);
    const { response } = request;
    request.response = null;
    if (response !== null) this.respond(request, response);
  }

  #remove(request: ClientRequest): void {
    if (request.id !== null && this.#open.get(request.id) === request) this.#open.delete(request.id);
    this.#byKey.delete(request.key);
  }
}
