import { RecentMap } from "../../host/recent-map.ts";
import { type Id, type JsonObject, printMessage } from "./json-rpc.ts";
import type { Outbox } from "./outbox.ts";
import { CODES, errorResponse } from "./responses.ts";
import type { ServerRequests } from "./server-requests.ts";

/** Requests without a time limit: their response waits for an event. */
const UNBOUNDED: ReadonlySet<string> = new Set(["subscriptions/listen", "tasks/result"]);
/** Maximum number of times that the limit restarts while the server waits for a person or the client's model. */
const MAX_RESTARTS = 10;
/** Maximum number of cancelled requests whose late response is still recognized. */
const MAX_LATE = 1_000;

interface Forward {
  readonly settle: (response: JsonObject | null) => void;
  readonly method: string;
  timer: NodeJS.Timeout | undefined;
  restarts: number;
}

/** Requests that were sent to the server and wait for a response. Only such a response goes to the client. */
export class ForwardedRequests {
  readonly #server: string;
  readonly #wallMs: number | null;
  readonly #outbox: Outbox;
  readonly #serverRequests: ServerRequests;
  readonly #waiting = new Map<Id, Forward>();
  readonly #late = new RecentMap<Id, true>(MAX_LATE);

  /** `wallMs`: maximum time of one request, in milliseconds; null for no limit. */
  constructor(server: string, wallMs: number | null, outbox: Outbox, serverRequests: ServerRequests) {
    this.#server = server;
    this.#wallMs = wallMs;
    this.#outbox = outbox;
    this.#serverRequests = serverRequests;
  }

  /** Sends a request and waits for its response. Null if the client cancelled it. */
  send(id: Id, method: string, params: JsonObject | null): Promise<JsonObject | null> {
    const { promise, resolve } = Promise.withResolvers<JsonObject | null>();
    const forward: Forward = { settle: resolve, method, timer: undefined, restarts: 0 };
    this.#late.delete(id);
    this.#waiting.set(id, forward);
    this.#startTimer(id, forward);
    this.#outbox.send(printMessage({ id, method, ...(params === null ? {} : { params }) }));
    return promise;
  }

  has(id: Id): boolean {
    return this.#waiting.has(id);
  }

  /** Ends a request with its response. False if none is waiting, and none was cancelled. A late response is dropped. */
  settle(id: Id, response: JsonObject): boolean {
    const forward = this.#remove(id);
    forward?.settle(response);
    return forward !== null || this.#late.delete(id);
  }

  /** Ends a request whose response is invalid: none of its content reaches the client. */
  settleInvalid(id: Id, because: string): void {
    const message = `the MCP server ${this.#server} sent an invalid response: ${because}`;
    this.settle(id, errorResponse(CODES.internal, message));
  }

  /** Cancels a request, also at the server. */
  cancel(id: Id, params: JsonObject): void {
    const forward = this.#remove(id);
    if (forward === null) return;
    this.#cancelAtServer(id, params);
    forward.settle(null);
  }

  settleAll(response: JsonObject): void {
    for (const id of [...this.#waiting.keys()]) this.settle(id, response);
  }

  #startTimer(id: Id, forward: Forward): void {
    const wallMs = this.#wallMs;
    if (wallMs === null || UNBOUNDED.has(forward.method)) return;
    forward.timer = setTimeout(() => {
      forward.restarts += 1;
      if (this.#serverRequests.isWaiting && forward.restarts < MAX_RESTARTS) {
        this.#startTimer(id, forward);
        return;
      }
      // Clients must not cancel `initialize`.
      if (forward.method !== "initialize")
        this.#cancelAtServer(id, { reason: `it exceeded the time limit of ${wallMs} ms` });
      const message = `the MCP server ${this.#server} did not answer within ${wallMs} ms`;
      this.settle(id, errorResponse(CODES.timeout, message));
    }, wallMs);
  }

  #cancelAtServer(id: Id, params: JsonObject): void {
    this.#late.set(id, true);
    const method = "notifications/cancelled";
    this.#outbox.send(printMessage({ method, params: { ...params, requestId: id } }));
  }

  #remove(id: Id): Forward | null {
    const forward = this.#waiting.get(id) ?? null;
    clearTimeout(forward?.timer);
    this.#waiting.delete(id);
    return forward;
  }
}
