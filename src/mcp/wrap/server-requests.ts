import { visible } from "../../errors.ts";
import type { Profile } from "../../profile/profile.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { ClientOutput } from "./client-output.ts";
import type { ClientRequest } from "./client-requests.ts";
import type { ElicitationBridge } from "./elicitation-bridge.ts";
import { GATED_METHODS, type GatedMethod, isGated, shownParams } from "./gated-methods.ts";
import {
  type Id,
  type JsonObject,
  type JsonRpcRequest,
  memberOf,
  objectOf,
  printMessage,
} from "./json-rpc.ts";
import type { Outbox } from "./outbox.ts";
import { CODES, errorResponse, hasTaskWithInputRequests } from "./responses.ts";
import { visibleRoots } from "./roots.ts";
import type { CallTool } from "./server-process.ts";
import { otherSpelling } from "./spelling.ts";
import type { DropReporter } from "./tool-list.ts";

const MAX_OPEN_REQUESTS = 16;
/** Maximum size of one request, and of all open ones together, in UTF-16 units. */
const MAX_LENGTH = 1024 ** 2;
const MAX_TOTAL_LENGTH = 4 * 1024 ** 2;
const ID_PREFIX = "cofferdam:server:";
const TOO_LARGE = "the request is too large, or too many others are open";
const CANCELLED = errorResponse(CODES.server, "the server cancelled the request");
const NOT_ALLOWED = "the server sent an input request that no server may send";

/** Options for a server's requests: the gate that decides, and their destination. */
export interface ServerRequestOptions {
  readonly server: string;
  readonly callTool: CallTool;
  readonly client: ClientOutput;
  readonly bridge: ElicitationBridge;
  readonly outbox: Outbox;
  /** The profile of the server, or null before it is known. */
  readonly profile: () => Profile | null;
  readonly report: DropReporter;
}

interface OpenRequest {
  readonly stop: AbortController;
  /** The id at the client, once the request was allowed. */
  clientId: string | null;
}

/**
 * The server's requests to the client, only of known methods. Sampling and elicitation go through the gate. The client
 * sees ids of ours, so no server can answer for another, or receive another's response.
 */
export class ServerRequests {
  readonly #options: ServerRequestOptions;
  readonly #open = new Map<Id, OpenRequest>();
  readonly #atClient = new Map<Id, (response: JsonObject) => void>();
  #count = 0;
  #length = 0;

  constructor(options: ServerRequestOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#open.size > 0;
  }

  handle(request: JsonRpcRequest): void {
    const { id, method } = request;
    const refusal = this.#refusal(request);
    if (refusal !== null) this.#respond(id, refusal);
    // We answer `ping` ourselves: it only checks that the peer is alive.
    else if (method === "ping") this.#respond(id, { result: {} });
    else {
      const open: OpenRequest = { stop: new AbortController(), clientId: null };
      this.#open.set(id, open);
      void this.#run(request, open);
    }
  }

  cancel(id: Id): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    open.stop.abort();
    const { clientId } = open;
    if (clientId === null || !this.handleResponse(clientId, CANCELLED)) return;
    this.#options.client.send({ method: "notifications/cancelled", params: { requestId: clientId } });
  }

  /** Handles a response of the client; false if it answers no request of the server. */
  handleResponse(id: Id | null, response: JsonObject): boolean {
    const resolve = id === null ? undefined : this.#atClient.get(id);
    if (id === null || resolve === undefined) return false;
    this.#atClient.delete(id);
    resolve(response);
    return true;
  }

  /** Checks each input request of a response at the gate; one denial drops all. Returns the response, or the reason. */
  async checkInputRequests(response: JsonObject, request: ClientRequest): Promise<JsonObject | string> {
    const result = objectOf(response["result"]);
    return result === null ? this.#checkUrls(response["error"], request) : this.#checkResult(result, request);
  }

  async #checkResult(result: JsonObject, request: ClientRequest): Promise<JsonObject | string> {
    const given = memberOf(result, "inputRequests");
    const inputs = objectOf(given ?? {});
    const ambiguity = otherSpelling(Object.keys(result), ["resultType", "inputRequests", "requestState"]);
    if (inputs === null || ambiguity !== null || hasTaskWithInputRequests(result)) return NOT_ALLOWED;
    if (Object.keys(inputs).length > MAX_OPEN_REQUESTS) return NOT_ALLOWED;
    const checked: [string, unknown][] = [];
    for (const [key, input] of Object.entries(inputs)) {
      const method = memberOf(input, "method");
      const params = objectOf(memberOf(input, "params")) ?? {};
      if (method === "roots/list" && this.#options.bridge.capability("roots", request) !== null) {
        checked.push([key, { method }]);
        continue;
      }
      if (typeof method !== "string" || !isGated(method)) return NOT_ALLOWED;
      if (this.#options.bridge.capability(GATED_METHODS[method], request) === null)
        return `the client does not support ${method}`;
      const shown = await this.#check(method, params, request, async (approved) => ({
        method,
        params: approved,
      }));
      if (typeof shown === "string") return shown;
      checked.push([key, shown]);
    }
    return {
      result: given === undefined ? result : { ...result, inputRequests: Object.fromEntries(checked) },
    };
  }

  /** Checks the URLs that a user should open, each as a separate elicitation. */
  async #checkUrls(error: unknown, request: ClientRequest): Promise<JsonObject | string> {
    const pages = memberOf(memberOf(error, "data"), "elicitations");
    if (!Array.isArray(pages)) return NOT_ALLOWED;
    const elicitations: JsonObject[] = [];
    for (const page of pages.slice(0, MAX_OPEN_REQUESTS)) {
      const params = objectOf(page) ?? {};
      const shown = await this.#check("elicitation/create", params, request, async (approved) => approved);
      if (typeof shown === "string") return shown;
      elicitations.push(shown);
    }
    const message = `the MCP server ${this.#options.server} asks its user to open a URL`;
    return { error: { code: CODES.urlElicitation, message, data: { elicitations } } };
  }

  /** Ends all open requests without a response. */
  end(): void {
    for (const { stop } of this.#open.values()) stop.abort();
    this.#open.clear();
    this.#atClient.clear();
  }

  #respond(id: Id, response: JsonObject): void {
    this.#options.outbox.send(printMessage({ id, ...response }));
  }

  #refusal({ id, method }: JsonRpcRequest): JsonObject | null {
    if (this.#open.has(id))
      return errorResponse(CODES.invalidRequest, "another request with this id is open");
    if (this.#open.size >= MAX_OPEN_REQUESTS)
      return errorResponse(CODES.server, "too many requests are open");
    if (method === "ping") return null;
    if (method !== "roots/list" && !isGated(method)) {
      const because = "servers must not send this request";
      this.#options.report(`the request ${visible(method.slice(0, 100))}`, because);
      return errorResponse(CODES.methodNotFound, because);
    }
    const name = method.slice(0, method.indexOf("/"));
    return this.#options.bridge.capability(name, null) === null
      ? errorResponse(CODES.methodNotFound, `the client does not support ${name}`)
      : null;
  }

  async #run({ id, method, params }: JsonRpcRequest, open: OpenRequest): Promise<void> {
    const response = isGated(method)
      ? await this.#check(
          method,
          params ?? {},
          null,
          (approved) => this.#sendToClient(method, approved, open),
          open.stop.signal,
        )
      : await this.#sendToClient(method, {}, open);
    if (this.#open.get(id) !== open) return;
    this.#open.delete(id);
    this.#respond(id, typeof response === "string" ? denialOf(method) : response);
  }

  /** Checks a request at the gate and runs it. Returns its result, or the reason why it was denied. */
  async #check(
    method: GatedMethod,
    params: JsonObject,
    request: ClientRequest | null,
    run: (approved: JsonObject) => Promise<JsonObject>,
    signal = request?.stop.signal ?? new AbortController().signal,
  ): Promise<JsonObject | string> {
    const { server, callTool, report } = this.#options;
    const text = JSON.stringify(params);
    if (text.length > MAX_LENGTH || this.#length + text.length > MAX_TOTAL_LENGTH) {
      report(`the request ${visible(method)}`, TOO_LARGE);
      return TOO_LARGE;
    }
    const tool = defineTool({
      name: `${server}/${GATED_METHODS[method]}`,
      risk: "write",
      run: ({ input }) => run(shownParams(server, method, objectOf(input) ?? {})),
    });
    this.#length += text.length;
    // The same parsed copy is judged, shown and forwarded.
    const outcome = await callTool(tool, JSON.parse(text), { signal, groupId: request?.key ?? null }).finally(
      () => {
        this.#length -= text.length;
      },
    );
    if (outcome.kind === "done") return objectOf(outcome.value) ?? "the result was lost";
    return outcome.kind === "failed" ? "the request could not be checked" : outcome.reason;
  }

  async #sendToClient(method: string, params: JsonObject, open: OpenRequest): Promise<JsonObject> {
    this.#count += 1;
    const id = `${ID_PREFIX}${this.#count}`;
    open.clientId = id;
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    this.#atClient.set(id, resolve);
    this.#options.client.send({ id, method, params });
    const response = await promise;
    const [result, profile] = [objectOf(response["result"]), this.#options.profile()];
    if (method !== "roots/list" || result === null) return response;
    return profile === null ? { result: { roots: [] } } : { result: visibleRoots(result, profile) };
  }
}

/** The response to a denied request: elicitation is declined, sampling gets an error. */
function denialOf(method: string): JsonObject {
  return method === "elicitation/create"
    ? { result: { action: "decline" } }
    : errorResponse(CODES.rejected, "the request was not approved");
}
