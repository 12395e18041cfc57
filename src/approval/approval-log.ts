import type { ApprovalBody, ApprovalEvent, ApprovalNews } from "../event/event.ts";
import type { EventSubject, Recorder } from "../journal/recorder.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Belongings, Resolution, Store } from "../store/store.ts";
import { decidedEvent } from "./decided-event.ts";
import { rejected } from "./factories.ts";
import { rejectionOf, savedEvent } from "./grant-event.ts";
import { NOBODY } from "./nobody.ts";

/** Maximum of events in one read. */
const BATCH = 256;

/** The events that a subscriber wants. */
export interface EventFilter {
  /** The number of the last event that was seen; default: all stored events. */
  readonly after?: number;
  /** Events of another run than the broker's own, if the store still has them; null for those of every run. */
  readonly runId?: string | null;
  readonly sessionId?: string;
  readonly signal?: AbortSignal;
}

/** A step in the store: true for the one who did it first. */
type FirstStep = (news: ApprovalNews) => Promise<boolean>;

/**
 * The only writer of events about approvals: to the record of this run, and to the store, where subscribers read them.
 * Steps run one after the other, so that both have the same order. A step of this run is recorded before it is stored.
 * Only the store knows which answer was first, so an answer is stored, then recorded, and only then takes effect.
 */
export class ApprovalLog implements Disposable {
  readonly runId: string;
  readonly store: Store;
  readonly #recorder: Recorder;
  #last: Promise<unknown> = Promise.resolve();
  #changed = Promise.withResolvers<void>();
  #watch: Disposable | null = null;
  #isOver = false;

  constructor(store: Store, recorder: Recorder) {
    this.runId = recorder.runId;
    this.store = store;
    this.#recorder = recorder;
  }

  /** Records and stores an event about a session. */
  news(sessionId: string, body: ApprovalBody): Promise<void> {
    return this.inTurn(async () => this.store.append(this.#record(this.#of(sessionId), body)));
  }

  /** Runs a step after all steps before it. A step that waits for a later one would wait for ever. */
  inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(step);
    // The caller handles the failure of a step; it must not delay or end the next one.
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Records and stores a new request. It can only be answered if both succeed. In turn. */
  async add(request: ApprovalRequest, belongings: Belongings): Promise<void> {
    const news = this.#record(request, { type: "approval.requested", request });
    await this.store.add(request, belongings, news);
  }

  /** Stores a decision if it is the first, and records it. Throws if that fails: the call can't run. In turn. */
  async decide(request: ApprovalRequest, decision: Decision): Promise<Resolution> {
    const news = this.#recorder.news(request, decidedEvent(request, decision));
    const resolution = await this.store.resolve(request.approvalId, decision, news);
    if (resolution !== "accepted") return resolution;
    await this.recordDecision(request, decision);
    const no = rejectionOf(request, decision, Date.parse(news.at));
    if (no !== null) await this.#saveGrant(no, request.runId);
    return resolution;
  }

  /** Records a decision that the store accepted. If that throws, the call can't run. In turn. */
  async recordDecision(request: ApprovalRequest, decision: Decision): Promise<void> {
    try {
      this.#record(request, decidedEvent(request, decision));
    } catch (cause) {
      await this.void(request.approvalId);
      throw cause;
    }
  }

  /** Makes sure that a request can't be answered or run any more, whatever its answer was. */
  async void(approvalId: string): Promise<void> {
    try {
      const stored = await this.store.find(approvalId);
      if (stored === null) return;
      const no = rejected(NOBODY, "the decision could not be recorded");
      const news = this.#recorder.news(stored.request, decidedEvent(stored.request, no));
      await this.store.resolve(approvalId, no, news);
      if (await this.store.claim(approvalId, this.runId))
        await this.store.finish(approvalId, this.runId, "failed");
    } catch {
      // The caller receives the first failure; this one changes nothing for them.
    }
  }

  /** Ends a request whose run is no longer alive; true for one caller, once. */
  abandon(request: ApprovalRequest): Promise<boolean> {
    const { approvalId, tool, argsHash } = request;
    const body = { type: "approval.abandoned", approvalId, tool, argsHash } as const;
    return this.#recordIfFirst(request, body, (news) => this.store.abandon(approvalId, news));
  }

  /** Records and stores an event about a request; null for an unknown request. */
  append(request: ApprovalRequest | null, body: ApprovalBody): Promise<void> {
    return this.inTurn(async () => this.store.append(this.#record(request ?? this.#of("none"), body)));
  }

  saveGrant(grant: Grant): Promise<void> {
    return this.inTurn(() => this.#saveGrant(grant, this.runId));
  }

  /** False if there is no grant under this id. */
  async revoke(grantId: string, by: string): Promise<boolean> {
    const grant = await this.store.findGrant(grantId);
    if (grant === null) return false;
    const body = { type: "grant.revoked", grantId, by } as const;
    const subject = this.#of(grant.sessionId);
    return this.#recordIfFirst(subject, body, (news) => this.store.removeGrant(grantId, news));
  }

  /** The events after `after`, in order. Reads the store, so that a slow reader delays no other and loses nothing. */
  events(filter: EventFilter): AsyncIterableIterator<ApprovalEvent, void> {
    const left = new AbortController();
    // It may wait for the next event: then it must notice that its subscriber left.
    left.signal.addEventListener("abort", () => this.#change());
    const following = this.#follow(filter, left);
    const end = following.return.bind(following);
    return Object.assign(following, {
      return: () => {
        left.abort();
        return end();
      },
    });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#watch?.[Symbol.dispose]();
    this.#change();
  }

  async *#follow(filter: EventFilter, left: AbortController): AsyncGenerator<ApprovalEvent, void> {
    const { after = null, runId = this.runId, sessionId, signal } = filter;
    if (signal?.aborted === true) left.abort();
    // The listener is removed when the subscriber leaves: one signal can serve any number of them.
    signal?.addEventListener("abort", () => left.abort(), { once: true, signal: left.signal });
    if (!this.#isOver) this.#watch ??= this.store.watch(() => this.#change());
    try {
      for (let seen = after; !left.signal.aborted; ) {
        const [changed, isLast] = [this.#changed.promise, this.#isOver];
        const batch = await this.store.eventsAfter(seen, BATCH, runId);
        for (const event of batch) {
          if (left.signal.aborted) return;
          seen = event.seq;
          if (sessionId === undefined || event.sessionId === sessionId) yield event;
        }
        if (batch.length > 0) continue;
        if (isLast) return;
        await changed;
      }
    } finally {
      left.abort();
    }
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #of(sessionId: string): EventSubject {
    return { runId: this.runId, sessionId, callId: null };
  }

  async #saveGrant(grant: Grant, runId: string): Promise<void> {
    await this.store.saveGrant(grant, runId, this.#record(this.#of(grant.sessionId), savedEvent(grant)));
  }

  #recordIfFirst(subject: EventSubject, body: ApprovalBody, store: FirstStep): Promise<boolean> {
    return this.inTurn(async () => {
      const isFirst = await store(this.#recorder.news(subject, body));
      if (isFirst) this.#record(subject, body);
      return isFirst;
    });
  }

  /** Records an event of this run; returns it as the store takes it. */
  #record(subject: EventSubject, body: ApprovalBody): ApprovalNews {
    this.#recorder.write(subject.sessionId, subject.callId, body);
    return this.#recorder.news(subject, body);
  }
}
