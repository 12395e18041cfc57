import type { ApprovalEvent } from "../event/event.ts";
import type { Host } from "../host/look/host.ts";
import { RecentMap } from "../host/recent-map.ts";
import { otherTurns } from "../host/turns.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Belongings, Resolution, Store, StoredRequest } from "../store/store.ts";
import { ApprovalLog, type EventFilter } from "./approval-log.ts";
import { rejected } from "./factories.ts";
import type { Answer, ApprovalHandler, HandlerAnswer } from "./handler.ts";
import { Heartbeat } from "./heartbeat.ts";
import { ApprovalMemory, type RuleKeeper } from "./memory.ts";
import { NOBODY } from "./nobody.ts";
import type { PendingRequest, RequestOptions } from "./pending-request.ts";
import { ENDED, PendingRequests } from "./pending-requests.ts";
import { pictureInTime } from "./picture.ts";
import { readDecision } from "./read-decision.ts";
import { RequestAdmission } from "./request-admission.ts";
import { matching, type RequestFilter } from "./request-filter.ts";
import { startOnce } from "./start-once.ts";
import { followStore } from "./store-follower.ts";

/** A request that was not sent, and the reason. */
export interface NotSent {
  readonly status: "not-sent";
  readonly reason: string;
}

const SESSION_ENDED = rejected(NOBODY, "the session has ended");
const MAX_ENDED_SESSIONS = 1_000;

/**
 * Brings requests to handlers and subscribers, and answers to calls. The first answer decides, from any handler and any
 * process that shares the store; later ones are reported as too late. Everything is recorded before it takes effect.
 */
export class Broker implements Disposable, AsyncDisposable {
  /** @internal The answers that people gave for more than one call. */
  readonly memory: ApprovalMemory;
  readonly #store: Store;
  readonly #log: ApprovalLog;
  readonly #pending: PendingRequests;
  readonly #heartbeat: Heartbeat;
  readonly #admission: RequestAdmission;
  readonly #end = new AbortController();
  /** A call may still be on its way to a request, or to its grant, when its session ends. */
  readonly #endedSessions = new RecentMap<string, true>(MAX_ENDED_SESSIONS);
  readonly #connect = startOnce(async () => {
    await this.#heartbeat.start();
    await followStore(this.#log, this.#pending, this.#end.signal);
  });

  /** @internal */
  constructor(host: Pick<Host, "now">, store: Store, recorder: Recorder, keeper: RuleKeeper | null = null) {
    this.#store = store;
    this.#log = new ApprovalLog(store, recorder);
    this.memory = new ApprovalMemory(store, this.#log, keeper);
    this.#pending = new PendingRequests(host, this.#log, this.#end.signal);
    this.#heartbeat = new Heartbeat(this.#log, this.#pending);
    this.#admission = new RequestAdmission(store);
  }

  /**
   * Sends a request to all handlers. Returns the first decision, `pending` if the request is left open, or the reason
   * why it was not sent. Failures of handlers are recorded; if all fail, nothing was rejected, and nothing runs.
   * @internal
   */
  async request(request: ApprovalRequest, options: RequestOptions): Promise<HandlerAnswer | NotSent> {
    if (this.#end.signal.aborted) return ENDED;
    if (this.#endedSessions.has(request.sessionId)) return SESSION_ENDED;
    const max = options.bounds?.maxPending ?? Number.POSITIVE_INFINITY;
    if (this.countWaiting(request.sessionId) >= max)
      return { status: "not-sent", reason: `${max} requests of this session already wait for an answer` };
    // Before the request is stored: its first reader may answer at once.
    const pending = this.#pending.enqueue(request, options);
    pending.opening = this.#open(pending);
    try {
      const reason = await pending.opening;
      if (reason !== null) return { status: "not-sent", reason };
      void this.#pending.ask(pending);
    } finally {
      if (!pending.isOpen) pending.abort.abort();
    }
    if (!options.isBlocking) return { status: "pending" };
    this.#heartbeat.hold(pending);
    try {
      return await pending.answer.promise;
    } finally {
      this.#heartbeat.release(pending);
    }
  }

  /** Asks further handlers about each request, of any process, until it is disposed. This process stays alive meanwhile. */
  async attend(...handlers: readonly ApprovalHandler[]): Promise<Disposable & { close(): void }> {
    await this.#connect();
    const ends = handlers.map((handler) => this.#pending.attend(handler));
    this.#heartbeat.hold(ends);
    const close = (): void => {
      for (const end of ends) end();
      this.#heartbeat.release(ends);
    };
    try {
      for (const request of await this.#store.pending()) await this.#pending.adopt(request);
    } catch (cause) {
      close();
      throw cause;
    }
    for (const handler of handlers) handler.attends?.(this);
    return { close, [Symbol.dispose]: close };
  }

  /**
   * Answers a request; `by` is the name if the answer has none. The result says whether this answer decided. Throws
   * `USAGE` for an invalid answer: then the request still waits. Throws if it can't be recorded; so does the call.
   */
  async respond(approvalId: string, answer: Answer, by: string): Promise<Resolution> {
    return this.decide(approvalId, readDecision(answer, by), by);
  }

  /** @internal The same with a decision that has been parsed. */
  decide(approvalId: string, decision: Decision, by: string): Promise<Resolution> {
    return this.#pending.respond(approvalId, decision, by);
  }

  /** Gives the same answer to every request of a filter; returns the number that it decided. */
  async respondAll(filter: RequestFilter, answer: Answer, by: string): Promise<number> {
    const requests = await this.pending(filter);
    const all = await Promise.all(requests.map(({ approvalId }) => this.respond(approvalId, answer, by)));
    return all.filter((one) => one === "accepted").length;
  }

  /** The requests that wait for an answer, oldest first. Throws `USAGE` for an unknown or undefined part of a filter. */
  async pending(filter: RequestFilter = {}): Promise<readonly ApprovalRequest[]> {
    const isWanted = matching(filter);
    return (await this.#store.pending()).filter(isWanted);
  }

  /** The presentation of a request that waits in any process; null without one. Rejects if it can't be made. */
  async present(approvalId: string): Promise<Presentation | null> {
    const presentation = await this.#pending.find(approvalId)?.present();
    return presentation ?? (await this.#store.belongings(approvalId))?.presentation ?? null;
  }

  /** @internal Number of requests of a session that wait in this process. */
  countWaiting(sessionId: string): number {
    return this.#pending.of(sessionId).length;
  }

  /** A request and its status; null if it is unknown or no longer kept. A request of a dead run has failed. */
  async find(approvalId: string): Promise<StoredRequest | null> {
    const stored = await this.#store.find(approvalId);
    if (stored?.status !== "executing" || this.#end.signal.aborted) return stored;
    return (await this.#log.abandon(stored.request)) ? this.#store.find(approvalId) : stored;
  }

  /** @internal The call of a request; null if the request is over, or only its caller can make it. */
  async callOf(approvalId: string): Promise<KeptCall | null> {
    return (await this.belongings(approvalId))?.call ?? null;
  }

  /** @internal The data kept with a request; null if the request is over. */
  belongings(approvalId: string): Promise<Belongings | null> {
    return this.#store.belongings(approvalId);
  }

  /** @internal Takes an approved request to run it: true once. */
  async claim(approvalId: string): Promise<boolean> {
    await this.#heartbeat.start();
    return this.#store.claim(approvalId, this.#log.runId);
  }

  /** @internal Stores how the run of a claimed request ended. */
  async finish(approvalId: string, how: "done" | "failed"): Promise<void> {
    await this.#store.finish(approvalId, this.#log.runId, how);
  }

  /** Past and future events after `after`, each once and in order. Throws `EVENTS_GONE` if some are no longer kept. */
  events(filter: EventFilter = {}): AsyncIterable<ApprovalEvent> {
    return this.#log.events(filter);
  }

  /** True as long as the process of a run is alive: then its calls may still wait. */
  isAlive(runId: string): Promise<boolean> {
    return this.#store.isAlive(runId);
  }

  /** The id of the store that numbers the events: in another one a number means something else. */
  storeId(): Promise<string> {
    return this.#store.id();
  }

  /** The number of the last event; −1 before the first. All later reads include it. */
  lastSeq(): Promise<number> {
    return this.#store.lastSeq();
  }

  /** @internal */
  async saveGrant(grant: Grant): Promise<void> {
    await this.#heartbeat.start();
    if (!this.#endedSessions.has(grant.sessionId)) await this.#log.saveGrant(grant);
  }

  /** The grants of a session; with null, of every session. */
  grants(sessionId: string | null): Promise<readonly Grant[]> {
    return this.#store.grants(sessionId);
  }

  /** @internal Ends a session: its waiting calls are rejected, its grants revoked. Requests that were left open stay so. */
  async endSession(sessionId: string): Promise<void> {
    this.#endedSessions.set(sessionId, true);
    await Promise.allSettled(this.#pending.of(sessionId).map(({ opening }) => opening));
    const blocking = this.#pending.of(sessionId).filter(({ isBlocking }) => isBlocking);
    await Promise.all(blocking.map(({ request }) => this.decide(request.approvalId, SESSION_ENDED, NOBODY)));
    for (const { grantId } of await this.grants(sessionId)) await this.revoke(grantId, "the session's end");
  }

  /** Revokes a grant; false if there is none under this id. */
  revoke(grantId: string, by: string): Promise<boolean> {
    return this.#log.revoke(grantId, by);
  }

  /** Ends the leftovers of dead runs: see `Heartbeat.sweep`. */
  sweep(): Promise<void> {
    return this.#heartbeat.sweep();
  }

  /** Starts the asynchronous disposal, for a caller that can't wait for its end. */
  [Symbol.dispose](): void {
    void this[Symbol.asyncDispose]();
  }

  /** Ends the broker, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  /** Ends all asking and answering. A waiting call is rejected; a request that was left open stays so in the store. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#pending.end();
    await this.#heartbeat[Symbol.asyncDispose]();
    this.#log[Symbol.dispose]();
  }

  /** Stores a request, or returns why it may not wait. */
  async #open(pending: PendingRequest): Promise<string | null> {
    await this.#connect();
    const presentation = this.#store.outlivesProcess ? await pictureInTime(pending.present) : null;
    await otherTurns(presentation?.content.length ?? 0);
    const { call, bound } = pending.options;
    const belongings = { call, presentation, ...(bound === undefined ? {} : { bound }) };
    return this.#log.inTurn(async () => {
      const reason = await this.#admission.admit(pending, belongings, this.#pending.all());
      if (reason === null) await this.#log.add(pending.request, belongings);
      return reason;
    });
  }
}
