import type { ApprovalBody, ApprovalEvent } from "../event/event.ts";
import type { Recorder, Subject } from "../journal/recorder.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Belongings, Resolution, Store } from "../store/store.ts";
import { decidedEvent } from "./decided-event.ts";
import { rejected } from "./factories.ts";
import { type EventFilter, Subscribers } from "./subscribers.ts";

/**
 * What was asked, answered and granted: written down, kept and told to subscribers, each in the order in which it
 * happened. What this process begins it writes down first; who is first to answer only the store can say, so an answer is
 * written down behind that, and counts for no call before.
 */
export class Registry implements Disposable {
  readonly #store: Store;
  readonly #recorder: Recorder;
  readonly #subscribers: Subscribers;
  /** Ends when every step so far is done, or failed. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store, recorder: Recorder) {
    this.#store = store;
    this.#recorder = recorder;
    this.#subscribers = new Subscribers(store, recorder.runId);
  }

  /**
   * Takes a request in, unless it is not admitted by the time that it is its turn: then this says why. One that can't be
   * written down and kept, nobody can answer.
   */
  open(
    request: ApprovalRequest,
    belongings: Belongings,
    admit: () => Promise<string | null>,
  ): Promise<string | null> {
    const body = { type: "approval.requested", request } as const;
    return this.#inTurn(async () => {
      const reason = await admit();
      if (reason !== null) return reason;
      this.#write(request, body);
      await this.#store.add(request, belongings, this.#recorder.news(request, body));
      return null;
    });
  }

  /** Decides a request, once. Where that can't be written down, nobody can run it, and this throws why. */
  decide(request: ApprovalRequest, decision: Decision): Promise<Resolution> {
    const { approvalId } = request;
    const body = decidedEvent(request, decision);
    return this.#inTurn(async () => {
      const news = this.#recorder.news(request, body);
      const resolution = await this.#store.resolve(approvalId, decision, news);
      if (resolution === "accepted") await this.#orVoid(approvalId, () => this.#write(request, body));
      return resolution;
    });
  }

  /** Writes down what somebody else decided, before it counts here. Throws as `decide` does. */
  learn(request: ApprovalRequest, decision: Decision): Promise<void> {
    return this.#inTurn(() =>
      this.#orVoid(request.approvalId, () => this.#write(request, decidedEvent(request, decision))),
    );
  }

  /** Ends a request whose run is not heard of any more; true for one caller, once. */
  abandon(request: ApprovalRequest): Promise<boolean> {
    const { approvalId, tool, argsHash } = request;
    const body = { type: "approval.abandoned", approvalId, tool, argsHash } as const;
    return this.#inTurn(async () => {
      const isFirst = await this.#store.abandon(approvalId, this.#recorder.news(request, body));
      if (isFirst) this.#write(request, body);
      return isFirst;
    });
  }

  /** Writes an event about a request down, or about one that there never was, and tells subscribers. */
  tell(request: ApprovalRequest | null, body: ApprovalBody): Promise<void> {
    const subject = request ?? this.#subject("none");
    return this.#inTurn(async () => {
      this.#write(subject, body);
      await this.#store.append(this.#recorder.news(subject, body));
    });
  }

  /** Sees to it that nobody can answer or run a request any more, whatever was answered so far. */
  async void(approvalId: string): Promise<void> {
    const { runId } = this.#recorder;
    try {
      const stored = await this.#store.find(approvalId);
      if (stored === null) return;
      const no = rejected("nobody", "it could not be written down");
      const news = this.#recorder.news(stored.request, decidedEvent(stored.request, no));
      await this.#store.resolve(approvalId, no, news);
      if (await this.#store.claim(approvalId, runId)) await this.#store.finish(approvalId, runId, "failed");
    } catch {
      // A store that fails as well changes nothing for whoever waits: they are told the first failure.
    }
  }

  /** Remembers a yes. */
  saveGrant(grant: Grant): Promise<void> {
    const { grantId, tool, covers, by, sessionId } = grant;
    const [cacheKey, host] = grant.kind === "call" ? [grant.key.cacheKey, null] : [null, grant.host];
    const body = { type: "grant.saved", grantId, tool, cacheKey, host, covers, by } as const;
    const subject = this.#subject(sessionId);
    return this.#inTurn(async () => {
      this.#write(subject, body);
      await this.#store.saveGrant(grant, subject.runId, this.#recorder.news(subject, body));
    });
  }

  /** Takes a remembered yes back; false when there is none under this id. */
  async revoke(grantId: string, by: string): Promise<boolean> {
    const grant = await this.#store.findGrant(grantId);
    if (grant === null) return false;
    const body = { type: "grant.revoked", grantId, by } as const;
    const subject = this.#subject(grant.sessionId);
    return this.#inTurn(async () => {
      const isFirst = await this.#store.removeGrant(grantId, this.#recorder.news(subject, body));
      if (isFirst) this.#write(subject, body);
      return isFirst;
    });
  }

  /** The events that were and then those that come. */
  events(filter: EventFilter): AsyncIterable<ApprovalEvent> {
    return this.#subscribers.events(filter);
  }

  /** Ends every subscription. */
  [Symbol.dispose](): void {
    this.#subscribers[Symbol.dispose]();
  }

  /** Something of this run's own that is about no one call. */
  #subject(sessionId: string): Subject {
    return { runId: this.#recorder.runId, sessionId, callId: null };
  }

  #write({ sessionId, callId }: Subject, body: ApprovalBody): void {
    this.#recorder.write(sessionId, callId, body);
  }

  async #orVoid(approvalId: string, write: () => void): Promise<void> {
    try {
      write();
    } catch (cause) {
      await this.void(approvalId);
      throw cause;
    }
  }

  /** One step after the other: what is told is told in the order in which it was written down. */
  #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(step);
    // That one step failed is its caller's to say, and keeps no other back.
    this.#last = done.catch(() => undefined);
    return done;
  }
}
