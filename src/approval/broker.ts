import { thrownText } from "../errors.ts";
import type { ApprovalEvent } from "../event/event.ts";
import type { Host } from "../host/host.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Resolution, Store, StoredRequest } from "../store/store.ts";
import { decidedEvent } from "./decided-event.ts";
import { rejected } from "./factories.ts";
import type { Answer, ApprovalHandler, HandlerAnswer } from "./handler.ts";
import { readAnswer, readDecision } from "./read-decision.ts";
import { Registry } from "./registry.ts";
import { matching, type RequestFilter } from "./request-filter.ts";
import type { EventFilter } from "./subscribers.ts";
import { type Bringing, type Waiting, WaitingRoom } from "./waiting-room.ts";

/**
 * Where questions and answers meet: requests go out to handlers and subscribers, the first answer decides, whoever gives
 * it, and every other is told that it came too late. Everything is written down before it counts.
 */
export class Broker implements Disposable, AsyncDisposable {
  readonly #host: Pick<Host, "now">;
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #room = new WaitingRoom();
  #hasEnded = false;

  constructor(host: Pick<Host, "now">, store: Store, recorder: Recorder) {
    this.#host = host;
    this.#store = store;
    this.#registry = new Registry(store, recorder);
  }

  /**
   * Puts a request to everyone and answers with the first decision, or with `pending` when it is left open. Handlers that
   * throw, or answer what is no decision, are written down; when none is left, nobody said no.
   */
  async request(request: ApprovalRequest, bringing: Bringing): Promise<HandlerAnswer> {
    const { isBlocking } = bringing;
    if (this.#hasEnded) return THE_END;
    // Before anybody hears of the request: the first who does may answer at once.
    const { waiting, answered } = this.#room.enter(request, bringing);
    // A failure may come before anybody waits for it, or when nobody does: events tell it, and whoever answered.
    answered.catch(() => undefined);
    try {
      await this.#registry.open(request);
    } catch (cause) {
      this.#room.leave(waiting);
      throw cause;
    }
    if (!waiting.over.signal.aborted) this.#bring(waiting, bringing);
    return isBlocking ? answered : { status: "pending" };
  }

  /**
   * Answers a request, from wherever. `by` says who, where the answer does not. The first decides; what came of it is
   * the result. Throws `USAGE` for what is no decision: then the request waits on. Where it can't be written down, this
   * throws why, and so does the request.
   */
  async respond(approvalId: string, answer: Answer, by: string): Promise<Resolution> {
    const decision = readDecision(answer, by);
    if (this.#hasEnded) return "unknown";
    const stored = await this.#store.find(approvalId);
    if (stored?.status === "pending" && this.#isOver(stored.request))
      await this.#decide(stored.request, { status: "expired" });
    // What nobody had asked when this began is not answered by it, though somebody may ask it in between.
    const resolution = stored === null ? "unknown" : await this.#decide(stored.request, decision);
    if (resolution !== "accepted") {
      const who = "by" in decision ? decision.by : by;
      const body = { type: "approval.ignored", approvalId, by: who, because: resolution } as const;
      await this.#registry.tell(stored?.request ?? null, body);
    }
    return resolution;
  }

  /** Answers every request that is meant, each for itself; how many of them it decided. */
  async respondAll(filter: RequestFilter, answer: Answer, by: string): Promise<number> {
    const meant = await this.pending(filter);
    const said = await Promise.all(meant.map(({ approvalId }) => this.respond(approvalId, answer, by)));
    return said.filter((one) => one === "accepted").length;
  }

  /**
   * The requests that wait for an answer, oldest first. Throws `USAGE` for a filter with a part that there is not, or that
   * is undefined: it would mean more than was meant.
   */
  async pending(filter: RequestFilter = {}): Promise<readonly ApprovalRequest[]> {
    const isWanted = matching(filter);
    const all = await this.#store.pending();
    return all.filter((request) => isWanted(request) && !this.#isOver(request));
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
    return this.#registry.events(filter);
  }

  /** Remembers a yes. */
  saveGrant(grant: Grant): Promise<void> {
    return this.#registry.saveGrant(grant);
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
  revoke(grantId: string, by: string): Promise<boolean> {
    return this.#registry.revoke(grantId, by);
  }

  /** The same as the asynchronous one, for those who can't wait for its end. */
  [Symbol.dispose](): void {
    void this[Symbol.asyncDispose]();
  }

  /**
   * Lets go of everyone who waits: nothing will be asked or answered here any more. A call that stands still gets a no;
   * what was left open stays so in the store.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true;
    await Promise.all(this.#room.all().map((waiting) => this.#letGo(waiting)));
    this.#registry[Symbol.dispose]();
  }

  async #letGo(waiting: Waiting): Promise<void> {
    if (isStandingStill(waiting)) return this.#end(waiting, THE_END);
    this.#room.leave(waiting);
  }

  /** Brings a request to every handler, unless the answer is known. */
  #bring(waiting: Waiting, { handlers, signal }: Bringing): void {
    const { isHeld, over } = waiting;
    const giveUp = (): void => {
      // Once every handler has left it open, the call has ended and its signal means nothing to the request.
      if (isStandingStill(waiting)) void this.#end(waiting, GIVEN_UP);
    };
    if (this.#hasEnded) return void this.#letGo(waiting);
    if (isHeld && signal?.aborted === true) return void this.#end(waiting, GIVEN_UP);
    if (isHeld && handlers.length === 0) return void this.#end(waiting, NOBODY_THERE);
    // The listener goes when the wait is over, so that one signal can serve any number of calls.
    signal?.addEventListener("abort", giveUp, { once: true, signal: over.signal });
    this.#limit(waiting);
    for (const handler of handlers)
      this.#ask(waiting, handler).catch((cause: unknown) => this.#fail(waiting, cause));
  }

  /** Ends the wait when its time is over. */
  #limit(waiting: Waiting): void {
    const { expiresAt } = waiting.request;
    if (expiresAt === null) return;
    const leftMs = Math.max(0, expiresAt - this.#host.now());
    const isLast = leftMs <= LONGEST_TIMER_MS;
    waiting.timer = setTimeout(
      () => (isLast ? void this.#end(waiting, { status: "expired" }) : this.#limit(waiting)),
      Math.min(leftMs, LONGEST_TIMER_MS),
    );
    // What nobody stands still for keeps no process alive.
    if (!waiting.isHeld) waiting.timer.unref();
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
      if (this.#hasEnded) return;
      waiting.failure = thrownText(cause);
      const { approvalId } = request;
      await this.#registry.tell(request, { type: "approval.failed", approvalId, reason: waiting.failure });
    }
    waiting.open -= 1;
    if (waiting.open > 0 || over.signal.aborted) return;
    if (isStandingStill(waiting))
      return this.#end(
        waiting,
        rejected("nobody", `nobody could be asked: ${waiting.failure ?? "none did"}`),
      );
    waiting.timer?.unref();
    waiting.settle({ status: "pending" });
  }

  /** Decides for whoever waits here. */
  async #end(waiting: Waiting, decision: Decision): Promise<void> {
    try {
      await this.#decide(waiting.request, decision);
    } catch (cause) {
      await this.#fail(waiting, cause);
    }
  }

  /** Ends a wait that can't go on, as when nothing can be written down. */
  async #fail(waiting: Waiting, cause: unknown): Promise<void> {
    this.#room.leave(waiting);
    waiting.fail(cause);
    await this.#registry.void(waiting.request.approvalId);
  }

  /** Decides once: what the store takes first is written down, and then counts for whoever waits. */
  async #decide(request: ApprovalRequest, given: Decision): Promise<Resolution> {
    // What could not be shown whole was not offered for the session, so nobody can have meant it.
    const decision: Decision =
      given.status === "approved" && request.covers === null ? { ...given, scope: "once" } : given;
    const { approvalId } = request;
    const resolution = await this.#store.resolve(approvalId, decision);
    const waiting = this.#room.find(approvalId);
    if (resolution !== "accepted") {
      if (waiting !== null) await this.#learn(waiting);
      return resolution;
    }
    if (waiting !== null) this.#room.leave(waiting);
    try {
      await this.#registry.tell(request, decidedEvent(request, decision));
    } catch (cause) {
      await this.#registry.void(approvalId);
      waiting?.fail(cause);
      throw cause;
    }
    waiting?.settle(decision);
    return resolution;
  }

  /** An answer that came by another broker on the same store counts for whoever waits here. */
  async #learn(waiting: Waiting): Promise<void> {
    const stored = await this.#store.find(waiting.request.approvalId);
    // An answer of our own is told while it is written down.
    if (stored?.decision === null || this.#room.find(waiting.request.approvalId) === null) return;
    this.#room.leave(waiting);
    waiting.settle(stored?.decision ?? rejected("nobody", "it is not known any more"));
  }

  #isOver({ expiresAt }: ApprovalRequest): boolean {
    return expiresAt !== null && this.#host.now() >= expiresAt;
  }
}

/** Who answered, where a handler does not say it. */
const HANDLER = "the handler";

const GIVEN_UP = rejected("nobody", "the call was given up before anybody answered");
const NOBODY_THERE = rejected("nobody", "nobody was there to ask");
const THE_END = rejected("nobody", "the supervisor has ended");

/** Node ends a longer timer at once (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** True as long as a call waits for the answer. */
function isStandingStill({ isHeld, isPending, open }: Waiting): boolean {
  return isHeld && !(isPending && open === 0);
}
