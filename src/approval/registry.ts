import { type ApprovalEvent, type EventBody, isApprovalEvent } from "../event/event.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { Grant } from "../policy/grant.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Store } from "../store/store.ts";
import { rejected } from "./factories.ts";
import { type EventFilter, Subscribers } from "./subscribers.ts";

/**
 * What was asked, answered and granted: written down first, then kept, then told to subscribers, each in the order in
 * which it happened.
 */
export class Registry implements Disposable {
  readonly #store: Store;
  readonly #recorder: Recorder;
  readonly #subscribers: Subscribers;

  constructor(store: Store, recorder: Recorder) {
    this.#store = store;
    this.#recorder = recorder;
    this.#subscribers = new Subscribers(store, recorder.runId);
  }

  /** Takes a request in. One that can't be written down and kept, nobody can answer. */
  async open(request: ApprovalRequest): Promise<void> {
    let isKept = false;
    // In one step with its event, so that no answer to it is told before it.
    const keep = async (): Promise<void> => {
      await this.#store.add(request);
      isKept = true;
    };
    try {
      await this.tell(request, { type: "approval.requested", request }, keep);
    } catch (cause) {
      if (isKept) await this.void(request.approvalId);
      throw cause;
    }
  }

  /** Writes an event about a request down, or about one that there never was, and tells subscribers. */
  tell(request: ApprovalRequest | null, body: EventBody, first?: () => Promise<void>): Promise<void> {
    return this.#write(request?.sessionId ?? "none", request?.callId ?? null, body, first);
  }

  /** Sees to it that nobody can answer or run a request any more, whatever was answered so far. */
  async void(approvalId: string): Promise<void> {
    try {
      await this.#store.resolve(approvalId, rejected("nobody", "it could not be written down"));
      if (await this.#store.claim(approvalId)) await this.#store.finish(approvalId, "failed");
    } catch {
      // A store that fails as well changes nothing for whoever waits: they are told the first failure.
    }
  }

  /** Remembers a yes. */
  async saveGrant(grant: Grant): Promise<void> {
    const { grantId, tool, covers, by, sessionId } = grant;
    const [cacheKey, host] = grant.kind === "call" ? [grant.key.cacheKey, null] : [null, grant.host];
    await this.#write(sessionId, null, { type: "grant.saved", grantId, tool, cacheKey, host, covers, by });
    await this.#store.saveGrant(grant);
  }

  /** Takes a remembered yes back; false when there is none under this id. */
  async revoke(grantId: string, by: string): Promise<boolean> {
    const grant = await this.#store.removeGrant(grantId);
    if (grant === null) return false;
    await this.#write(grant.sessionId, null, { type: "grant.revoked", grantId, by });
    return true;
  }

  /** The events that were and then those that come. */
  events(filter: EventFilter): AsyncIterable<ApprovalEvent> {
    return this.#subscribers.events(filter);
  }

  /** Ends every subscription. */
  [Symbol.dispose](): void {
    this.#subscribers[Symbol.dispose]();
  }

  async #write(
    sessionId: string,
    callId: string | null,
    body: EventBody,
    first?: () => Promise<void>,
  ): Promise<void> {
    const event = this.#recorder.write(sessionId, callId, body);
    if (isApprovalEvent(event)) await this.#subscribers.tell(event, first);
  }
}
