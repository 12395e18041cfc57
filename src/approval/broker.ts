import { type ApprovalEvent, type EventBody, isApprovalEvent } from "../event/event.ts";
import type { Host } from "../host/host.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Resolution, Store, StoredRequest } from "../store/store.ts";
import { rejected } from "./factories.ts";
import type { Answer, ApprovalHandler, HandlerAnswer } from "./handler.ts";
import { readAnswer, readDecision } from "./read-decision.ts";
import { type EventFilter, Subscribers } from "./subscribers.ts";
import { type Bringing, type Waiting, WaitingRoom } from "./waiting-room.ts";

/** Which requests are meant; every part that is given must agree. */
export interface RequestFilter {
  readonly runId?: string;
  readonly sessionId?: string;
  readonly groupId?: string;
}

/**
 * Where questions and answers meet: requests go out to handlers and subscribers, the first answer decides, whoever gives
 * it, and every other is told that it came too late. Everything is written down before it counts.
 */
export class Broker implements Disposable {
  readonly #host: Pick<Host, "now">;
  readonly #store: Store;
  readonly #recorder: Recorder;
  readonly #subscribers: Subscribers;
  readonly #room = new WaitingRoom();

  constructor(host: Pick<Host, "now">, store: Store, recorder: Recorder) {
    this.#host = host;
    this.#store = store;
    this.#recorder = recorder;
    this.#subscribers = new Subscribers(store);
  }

  /**
   * Puts a request to everyone and answers with the first decision, or with `pending` when it is left open. Handlers that
   * throw, or answer what is no decision, are written down; when none is left, nobody said no.
   */
  async request(request: ApprovalRequest, bringing: Bringing): Promise<HandlerAnswer> {
    const { handlers, signal, isBlocking } = bringing;
    // Before anybody hears of the request: the first who does may answer at once.
    const { waiting, answered } = this.#room.enter(request, bringing);
    try {
      await this.#store.add(request);
      await this.#tell(request, { type: "approval.requested", request });
    } catch (cause) {
      this.#room.leave(waiting);
      await this.#store.resolve(request.approvalId, rejected("nobody", "it could not be written down"));
      throw cause;
    }
    if (!waiting.over.signal.aborted) {
      this.#limit(waiting, signal);
      for (const handler of handlers) this.#ask(waiting, handler).catch(waiting.fail);
      if (handlers.length === 0 && isBlocking)
        this.#decide(request, rejected("nobody", "nobody was there to ask")).catch(waiting.fail);
    }
    if (isBlocking) return answered;
    // Whoever does not wait learns of it by events; a failure to write the answer down has nobody else to go to.
    answered.catch(() => undefined);
    return { status: "pending" };
  }

  /**
   * Answers a request, from wherever. `by` says who, where the answer does not. The first decides; what came of it is
   * the result. Throws `USAGE` for what is no decision: then the request waits on.
   */
  async respond(approvalId: string, answer: Answer, by: string): Promise<Resolution> {
    const decision = readDecision(answer, by);
    const stored = await this.#store.find(approvalId);
    if (stored?.status === "pending" && this.#isOver(stored.request))
      await this.#decide(stored.request, { status: "expired" });
    const resolution =
      stored === null
        ? await this.#store.resolve(approvalId, decision)
        : await this.#decide(stored.request, decision);
    if (resolution !== "accepted") {
      const who = "by" in decision ? decision.by : by;
      const body = { type: "approval.ignored", approvalId, by: who, because: resolution } as const;
      await this.#tell(stored?.request ?? null, body);
    }
    return resolution;
  }

  /** Answers every request that is meant, each for itself; how many of them it decided. */
  async respondAll(filter: RequestFilter, answer: Answer, by: string): Promise<number> {
    const meant = await this.pending(filter);
    const said = await Promise.all(meant.map(({ approvalId }) => this.respond(approvalId, answer, by)));
    return said.filter((one) => one === "accepted").length;
  }

  /** The requests that wait for an answer, oldest first. */
  async pending(filter: RequestFilter = {}): Promise<readonly ApprovalRequest[]> {
    const all = await this.#store.pending();
    return all.filter((request) => isMeant(request, filter) && !this.#isOver(request));
  }

  /** What to look at of a request that waits in this process; null for any other. Rejects when it can't be made. */
  async present(approvalId: string): Promise<Presentation | null> {
    return this.#room.find(approvalId)?.present() ?? null;
  }

  /** How many requests of a session wait in this process. */
  countWaiting(sessionId: string): number {
    return this.#room.countOf(sessionId);
  }

  /** A request and where it is in its life; null when it is not, or no more, known. */
  find(approvalId: string): Promise<StoredRequest | null> {
    return this.#store.find(approvalId);
  }

  /** Takes an approved request to run it: true once. */
  claim(approvalId: string): Promise<boolean> {
    return this.#store.claim(approvalId);
  }

  /** Says how the run of a claimed request ended. */
  finish(approvalId: string, how: "done" | "failed"): Promise<void> {
    return this.#store.finish(approvalId, how);
  }

  /**
   * Every event about approvals and grants behind `after`, those that were and then those that come, each once and in
   * order, until the signal. Throws `EVENTS_GONE` when some are no longer kept.
   */
  events(filter: EventFilter = {}): AsyncIterable<ApprovalEvent> {
    return this.#subscribers.events(filter);
  }

  /** Remembers a yes. */
  async saveGrant(grant: Grant): Promise<void> {
    const { grantId, tool, covers, by, sessionId, key } = grant;
    await this.#write(sessionId, null, {
      type: "grant.saved",
      grantId,
      tool,
      cacheKey: key.cacheKey,
      covers,
      by,
    });
    await this.#store.saveGrant(grant);
  }

  /** What a session remembers. */
  grants(sessionId: string): Promise<readonly Grant[]> {
    return this.#store.grantsOf(sessionId);
  }

  /** Ends a session: what waits is answered no by nobody, and what was granted counts no more. */
  async endSession(sessionId: string): Promise<void> {
    await this.respondAll({ sessionId }, rejected("nobody", "the session has ended"), "nobody");
    for (const { grantId } of await this.grants(sessionId)) await this.revoke(grantId, "the session's end");
  }

  /** Takes a remembered yes back, from now on; false when there is none under this id. */
  async revoke(grantId: string, by: string): Promise<boolean> {
    const grant = await this.#store.removeGrant(grantId);
    if (grant === null) return false;
    await this.#write(grant.sessionId, null, { type: "grant.revoked", grantId, by });
    return true;
  }

  /** Lets go of everyone who waits: nothing will be asked or answered here any more. */
  [Symbol.dispose](): void {
    for (const waiting of this.#room.all()) {
      this.#room.leave(waiting);
      waiting.settle(rejected("nobody", "the supervisor has ended"));
    }
    this.#subscribers[Symbol.dispose]();
  }

  /** Ends the wait when its time is over or the call is given up. */
  #limit(waiting: Waiting, signal: AbortSignal | null): void {
    const { request, over } = waiting;
    const decide = (decision: Decision): void => {
      this.#decide(request, decision).catch(waiting.fail);
    };
    if (request.expiresAt !== null) {
      const leftMs = Math.max(0, request.expiresAt - this.#host.now());
      waiting.timer = setTimeout(() => decide({ status: "expired" }), leftMs);
    }
    const giveUp = (): void => {
      // Once every handler has left it open, the call has ended and its signal means nothing to the request.
      if (waiting.isHeld && waiting.open > 0)
        decide(rejected("nobody", "the call was given up before anybody answered"));
    };
    // The listener goes when the wait is over, so that one signal can serve any number of calls.
    signal?.addEventListener("abort", giveUp, { once: true, signal: over.signal });
    if (signal?.aborted === true) giveUp();
  }

  async #ask(waiting: Waiting, handler: ApprovalHandler): Promise<void> {
    const { request, over, present } = waiting;
    const asking = {
      signal: over.signal,
      present,
      waiting: () => this.#room.all().map((one) => one.request),
      grants: () => this.grants(request.sessionId),
      revoke: (grantId: string, by: string) => this.revoke(grantId, by),
    };
    try {
      const answer = readAnswer(await handler.requestApproval(request, asking), HANDLER);
      if (answer.status === "pending") waiting.isPending = true;
      else await this.respond(request.approvalId, answer, HANDLER);
    } catch (cause) {
      waiting.failure = cause instanceof Error ? cause.message : "something was thrown that is no error";
      const body = {
        type: "approval.failed",
        approvalId: request.approvalId,
        reason: waiting.failure,
      } as const;
      await this.#tell(request, body);
    }
    waiting.open -= 1;
    if (waiting.open > 0 || over.signal.aborted) return;
    if (waiting.isPending || !waiting.isHeld) waiting.settle({ status: "pending" });
    else
      await this.#decide(
        request,
        rejected("nobody", `nobody could be asked: ${waiting.failure ?? "none did"}`),
      );
  }

  /** Decides once: what the store takes first is written down, and then counts for whoever waits. */
  async #decide(request: ApprovalRequest, given: Decision): Promise<Resolution> {
    // What could not be shown whole was not offered for the session, so nobody can have meant it.
    const decision: Decision =
      given.status === "approved" && request.covers === null ? { ...given, scope: "once" } : given;
    const { approvalId } = request;
    const resolution = await this.#store.resolve(approvalId, decision);
    if (resolution !== "accepted") return resolution;
    const waiting = this.#room.find(approvalId);
    if (waiting !== null) this.#room.leave(waiting);
    try {
      await this.#tell(request, decidedEvent(request, decision));
    } catch (cause) {
      waiting?.fail(cause);
      throw cause;
    }
    waiting?.settle(decision);
    return resolution;
  }

  #isOver({ expiresAt }: ApprovalRequest): boolean {
    return expiresAt !== null && this.#host.now() >= expiresAt;
  }

  async #tell(request: ApprovalRequest | null, body: EventBody): Promise<void> {
    await this.#write(request?.sessionId ?? "none", request?.callId ?? null, body);
  }

  /** Writes an event down and hands it to subscribers. */
  async #write(sessionId: string, callId: string | null, body: EventBody): Promise<void> {
    const event = this.#recorder.write(sessionId, callId, body);
    if (isApprovalEvent(event)) await this.#subscribers.tell(event);
  }
}

/** Who answered, where a handler does not say it. */
const HANDLER = "the handler";

function decidedEvent({ approvalId, tool, argsHash }: ApprovalRequest, decision: Decision): EventBody {
  if (decision.status === "expired") return { type: "approval.expired", approvalId, tool, argsHash };
  const isApproved = decision.status === "approved";
  return {
    type: "approval.resolved",
    approvalId,
    tool,
    argsHash,
    approved: isApproved,
    scope: isApproved ? decision.scope : null,
    by: decision.by,
    note: decision.note ?? null,
    isEdited: isApproved && decision.editedInput !== undefined,
  };
}

function isMeant(request: ApprovalRequest, { runId, sessionId, groupId }: RequestFilter): boolean {
  return (
    (runId === undefined || request.runId === runId) &&
    (sessionId === undefined || request.sessionId === sessionId) &&
    (groupId === undefined || request.groupId === groupId)
  );
}
