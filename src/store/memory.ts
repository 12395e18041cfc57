import { CofferdamError, visible } from "../errors.ts";
import type { ApprovalEvent } from "../event/event.ts";
import type { Decision } from "../policy/decision.ts";
import type { Grant } from "../policy/grant.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Resolution, Store, StoredRequest } from "./store.ts";

/** How much is kept. */
export interface MemoryStoreOptions {
  /** Events of one run, for subscribers that come back. Default 20,000. */
  readonly mostEvents?: number;
  /** Requests that are over, so that a late answer is told from one to nothing. Default 2,000. */
  readonly mostSettled?: number;
}

interface RunEvents {
  readonly kept: ApprovalEvent[];
  /** The highest number of an event that is no longer kept. */
  goneUpTo: number;
}

const NO_EVENTS: RunEvents = { kept: [], goneUpTo: -1 };

/** Keeps everything in this process, and loses it with the process. */
export class MemoryStore implements Store {
  readonly #open = new Map<string, StoredRequest>();
  /** Requests that nobody can answer or run any more, the oldest first. */
  readonly #settled = new Map<string, StoredRequest>();
  readonly #grants = new Map<string, Grant>();
  /** Of each run. */
  readonly #events = new Map<string, RunEvents>();
  readonly #mostEvents: number;
  readonly #mostSettled: number;

  constructor({ mostEvents = 20_000, mostSettled = 2_000 }: MemoryStoreOptions = {}) {
    this.#mostEvents = mostEvents;
    this.#mostSettled = mostSettled;
  }

  async add(request: ApprovalRequest): Promise<void> {
    const { approvalId } = request;
    if (this.#open.has(approvalId) || this.#settled.has(approvalId))
      throw new CofferdamError("INTERNAL", `there is a request under the id ${visible(approvalId)} already`);
    this.#open.set(approvalId, { request, status: "pending", decision: null });
  }

  async find(approvalId: string): Promise<StoredRequest | null> {
    return this.#open.get(approvalId) ?? this.#settled.get(approvalId) ?? null;
  }

  async resolve(approvalId: string, decision: Decision): Promise<Resolution> {
    const stored = this.#open.get(approvalId);
    if (stored === undefined) {
      const ended = this.#settled.get(approvalId);
      return ended === undefined ? "unknown" : ended.status === "expired" ? "expired" : "duplicate";
    }
    if (stored.status !== "pending") return "duplicate";
    if (decision.status === "approved")
      this.#open.set(approvalId, { ...stored, status: "approved", decision });
    else this.#settle({ ...stored, status: decision.status, decision });
    return "accepted";
  }

  async claim(approvalId: string): Promise<boolean> {
    const stored = this.#open.get(approvalId);
    if (stored?.status !== "approved") return false;
    this.#open.set(approvalId, { ...stored, status: "executing" });
    return true;
  }

  async finish(approvalId: string, how: "done" | "failed"): Promise<void> {
    const stored = this.#open.get(approvalId);
    if (stored?.status === "executing") this.#settle({ ...stored, status: how });
  }

  async pending(): Promise<readonly ApprovalRequest[]> {
    return [...this.#open.values()].flatMap(({ request, status }) => (status === "pending" ? [request] : []));
  }

  async saveGrant(grant: Grant): Promise<void> {
    this.#grants.set(grant.grantId, grant);
  }

  async grantsOf(sessionId: string): Promise<readonly Grant[]> {
    return [...this.#grants.values()].filter((grant) => grant.sessionId === sessionId);
  }

  async removeGrant(grantId: string): Promise<Grant | null> {
    const grant = this.#grants.get(grantId);
    this.#grants.delete(grantId);
    return grant ?? null;
  }

  async append(event: ApprovalEvent): Promise<void> {
    const run = this.#events.get(event.runId) ?? { kept: [], goneUpTo: -1 };
    this.#events.set(event.runId, run);
    run.kept.push(event);
    // A tenth at once: to take the first off a long list one by one would cost its length each time.
    if (run.kept.length <= this.#mostEvents * 1.1) return;
    const gone = run.kept.splice(0, run.kept.length - this.#mostEvents);
    run.goneUpTo = gone.at(-1)?.seq ?? run.goneUpTo;
  }

  async eventsAfter(runId: string, seq: number | null, limit: number): Promise<readonly ApprovalEvent[]> {
    const { kept, goneUpTo } = this.#events.get(runId) ?? NO_EVENTS;
    if (seq !== null && seq < goneUpTo)
      throw new CofferdamError("EVENTS_GONE", `events up to number ${goneUpTo} are no longer kept`, {
        hint: "read what is pending, and subscribe without a number",
      });
    const first = seq === null ? 0 : firstAfter(kept, seq);
    return kept.slice(first, first + limit);
  }

  #settle(stored: StoredRequest): void {
    const { approvalId } = stored.request;
    this.#open.delete(approvalId);
    this.#settled.set(approvalId, stored);
    if (this.#settled.size <= this.#mostSettled) return;
    for (const oldest of this.#settled.keys()) {
      this.#settled.delete(oldest);
      return;
    }
  }
}

/** The place of the first event behind the number: events lie in the order of their numbers. */
function firstAfter(events: readonly ApprovalEvent[], seq: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.seq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
