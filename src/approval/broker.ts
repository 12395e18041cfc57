import type { ApprovalEvent } from "../event/event.ts";
import type { Host } from "../host/host.ts";
import { otherTurns } from "../host/turns.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { Grant } from "../policy/grant.ts";
import type { KeptCall } from "../policy/kept-call.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Resolution, Store, StoredRequest } from "../store/store.ts";
import { rejected } from "./factories.ts";
import type { Answer, ApprovalHandler, HandlerAnswer } from "./handler.ts";
import { Learner } from "./learner.ts";
import { PendingRequests } from "./pending-requests.ts";
import { pictureInTime } from "./picture.ts";
import { Presence } from "./presence.ts";
import { readDecision } from "./read-decision.ts";
import { Registry } from "./registry.ts";
import { matching, type RequestFilter } from "./request-filter.ts";
import type { EventFilter } from "./subscribers.ts";
import { type Bringing, type Waiting, WaitingRoom } from "./waiting-room.ts";
import { THE_END, Waits } from "./waits.ts";

/**
 * Where questions and answers meet: requests go out to handlers and subscribers, the first answer decides, whoever gives
 * it, in whatever process that shares the store, and every other is told that it came too late. Everything is written
 * down before it counts.
 */
export class Broker implements Disposable, AsyncDisposable {
  readonly #runId: string;
  readonly #store: Store;
  readonly #registry: Registry;
  readonly #room: WaitingRoom;
  readonly #waits: Waits;
  readonly #presence: Presence;
  readonly #learner: Learner;
  readonly #pending: PendingRequests;
  /** Those who are asked about every request, whoever makes it. */
  readonly #attending = new Set<ApprovalHandler>();
  /** Requests that are being kept right now. */
  readonly #opening = new Set<Promise<unknown>>();
  #hasEnded = false;

  constructor(host: Pick<Host, "now">, store: Store, recorder: Recorder) {
    this.#runId = recorder.runId;
    this.#store = store;
    this.#registry = new Registry(store, recorder);
    this.#presence = new Presence(this.#runId, store, this.#registry);
    this.#room = new WaitingRoom((change) => this.#presence.hold(change));
    this.#pending = new PendingRequests(store, this.#room);
    this.#waits = new Waits({
      host,
      store,
      registry: this.#registry,
      room: this.#room,
      respond: (approvalId, answer, by) => this.respond(approvalId, answer, by),
    });
    this.#learner = new Learner({
      store,
      room: this.#room,
      waits: this.#waits,
      events: (filter) => this.#registry.events(filter),
      onRequest: ({ request }) => this.#bringAlong(request),
    });
  }

  /**
   * Puts a request to everyone and answers with the first decision, or with `pending` when it is left open. Handlers that
   * throw, or answer what is no decision, are written down; when none is left, nobody said no. Where too much waits already,
   * nobody is asked.
   */
  async request(request: ApprovalRequest, bringing: Bringing): Promise<HandlerAnswer | Unasked> {
    if (this.#hasEnded) return THE_END;
    // Before anybody hears of the request: the first who does may answer at once.
    const { waiting, answered } = this.#room.enter(request, bringing);
    // A failure may come before anybody waits for it, or when nobody does: events tell it, and whoever answered.
    answered.catch(() => undefined);
    const opening = this.#open(waiting, bringing);
    this.#opening.add(opening);
    try {
      const reason = await opening;
      if (reason !== null) {
        this.#room.leave(waiting);
        return { status: "unasked", reason };
      }
    } catch (cause) {
      this.#room.leave(waiting);
      throw cause;
    } finally {
      this.#opening.delete(opening);
    }
    this.#waits.bring(waiting, [...bringing.handlers, ...this.#attending]);
    return bringing.isBlocking ? answered : { status: "pending" };
  }

  /**
   * Brings every request that waits, and every one to come, to further handlers, whichever process made it: those that
   * outlived their process are asked about again. Until what this returns is disposed of; over a store that processes
   * share, this one does not end by itself before.
   */
  async attend(...handlers: readonly ApprovalHandler[]): Promise<Disposable> {
    for (const handler of handlers) this.#attending.add(handler);
    await this.#presence.begin();
    await this.#learner.begin();
    for (const waiting of this.#room.all()) if (waiting.isOpen) this.#waits.ask(waiting, handlers);
    for (const request of await this.#store.pending()) this.#bringAlong(request);
    for (const handler of handlers) handler.attends?.(this);
    this.#presence.hold(1);
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#presence.hold(-1);
        isOver = true;
        for (const handler of handlers) this.#attending.delete(handler);
      },
    };
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
    // What nobody had asked when this began is not answered by it, though somebody may ask it in between.
    const resolution = stored === null ? "unknown" : await this.#waits.decide(stored.request, decision);
    if (resolution === "expired" && stored?.status === "pending")
      await this.#waits.decide(stored.request, { status: "expired" });
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
    return (await this.#store.pending()).filter(isWanted);
  }

  /**
   * What to look at of a request that waits, made in this process or kept by the one that asked; null where there is
   * nothing. Rejects when it can't be made.
   */
  async present(approvalId: string): Promise<Presentation | null> {
    const waiting = this.#room.find(approvalId);
    return (await waiting?.present()) ?? (await this.#store.belongings(approvalId))?.presentation ?? null;
  }

  /** How many requests of a session wait in this process. */
  countWaiting(sessionId: string): number {
    return this.#room.countOf(sessionId);
  }

  /**
   * A request and where it is in its life; null when it is not, or no more, known. One that was taken by a run which is
   * not heard of any more has failed.
   */
  async find(approvalId: string): Promise<StoredRequest | null> {
    const stored = await this.#store.find(approvalId);
    if (stored?.status !== "executing" || this.#hasEnded) return stored;
    return (await this.#registry.abandon(stored.request)) ? this.#store.find(approvalId) : stored;
  }

  /** What it takes to make the call of a request; null when it is over, or only its caller can make it. */
  async callOf(approvalId: string): Promise<KeptCall | null> {
    return (await this.#store.belongings(approvalId))?.call ?? null;
  }

  /** Takes an approved request to run it: true once. */
  async claim(approvalId: string): Promise<boolean> {
    await this.#presence.begin();
    return this.#store.claim(approvalId, this.#runId);
  }

  /** Says how the run of a claimed request ended. */
  async finish(approvalId: string, how: "done" | "failed"): Promise<void> {
    await this.#store.finish(approvalId, this.#runId, how);
  }

  /**
   * Every event about approvals and grants behind `after`, those that were and then those that come, each once and in
   * order, until the signal. Throws `EVENTS_GONE` when some are no longer kept.
   */
  events(filter: EventFilter = {}): AsyncIterable<ApprovalEvent> {
    return this.#registry.events(filter);
  }

  /** True as long as the process of a run is heard of: then its calls may still stand still for their answers. */
  isAlive(runId: string): Promise<boolean> {
    return this.#store.isAlive(runId);
  }

  /** Which store numbers the events: a number of another one means nothing here. */
  storeId(): Promise<string> {
    return this.#store.id();
  }

  /** The number of the last event; −1 before the first. What is read afterwards holds all that it tells. */
  lastSeq(): Promise<number> {
    return this.#store.lastSeq();
  }

  /** Remembers a yes. */
  async saveGrant(grant: Grant): Promise<void> {
    await this.#presence.begin();
    await this.#registry.saveGrant(grant);
  }

  /** What a session remembers; with null, what any session does. */
  grants(sessionId: string | null): Promise<readonly Grant[]> {
    return this.#store.grants(sessionId);
  }

  /**
   * Ends a session: calls that stand still are answered no by nobody, and what was granted counts no more. What was left
   * open can still be answered, and run later.
   */
  async endSession(sessionId: string): Promise<void> {
    const no = rejected("nobody", "the session has ended");
    const held = this.#room.all().filter(({ isHeld, request }) => isHeld && request.sessionId === sessionId);
    await Promise.all(held.map(({ request }) => this.respond(request.approvalId, no, "nobody")));
    for (const { grantId } of await this.grants(sessionId)) await this.revoke(grantId, "the session's end");
  }

  /** Takes a remembered yes back, from now on; false when there is none under this id. */
  revoke(grantId: string, by: string): Promise<boolean> {
    return this.#registry.revoke(grantId, by);
  }

  /** Ends what nobody will end any more, of whatever process: see `Presence.sweep`. */
  sweep(): Promise<void> {
    return this.#presence.sweep();
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
    this.#waits.close();
    this.#learner[Symbol.dispose]();
    await Promise.allSettled(this.#opening);
    await this.#waits.end();
    await this.#presence[Symbol.asyncDispose]();
    this.#registry[Symbol.dispose]();
  }

  async #open(waiting: Waiting, { call, bounds }: Bringing): Promise<string | null> {
    await this.#presence.begin();
    await this.#learner.begin();
    const presentation = this.#store.outlivesProcess ? await pictureInTime(waiting.present) : null;
    const belongings = { call, presentation };
    await otherTurns(presentation?.content.length ?? 0);
    return this.#registry.open(waiting.request, belongings, async () =>
      bounds === undefined ? null : this.#pending.admit(waiting, belongings, bounds),
    );
  }

  /** A request that another process made, or this one before it was started again, for those who attend. */
  #bringAlong(request: ApprovalRequest): void {
    const { approvalId } = request;
    if (this.#attending.size === 0 || this.#hasEnded || this.#room.find(approvalId) !== null) return;
    const present = async (): Promise<Presentation> => {
      const kept = (await this.#store.belongings(approvalId))?.presentation ?? null;
      return kept ?? { type: "text", content: request.description, metadata: {} };
    };
    const { waiting, answered } = this.#room.enter(request, { present, isBlocking: false, signal: null });
    answered.catch(() => undefined);
    this.#waits.bring(waiting, [...this.#attending]);
    // It may have been answered just before it was entered here.
    this.#waits.learn(waiting).catch(() => undefined);
  }
}

/** Nobody was asked, and why. */
export interface Unasked {
  readonly status: "unasked";
  readonly reason: string;
}
