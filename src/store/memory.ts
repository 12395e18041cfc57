import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import type { ApprovalEvent, ApprovalNews } from "../event/event.ts";
import type { Decision } from "../policy/decision.ts";
import { boundsOf, type Grant } from "../policy/grant.ts";
import { assertOptions, callback, count } from "../policy/options.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { withoutInput } from "./edited.ts";
import { NumberedEvents } from "./numbered-events.ts";
import type { Belongings, Overdue, Resolution, Store, StoredRequest } from "./store.ts";

/** Limits and clock of a memory store. */
export interface MemoryStoreOptions {
  /** Events kept for subscribers that come back. Default 20,000. */
  readonly maxEvents?: number;
  /** Ended requests that are kept, so that a late answer differs from one to an unknown request. Default 2,000. */
  readonly maxSettled?: number;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** Schema of these options, for callers in JavaScript. */
export const MEMORY_OPTIONS = z.strictObject({
  maxEvents: count().optional(),
  maxSettled: count().optional(),
  now: callback("a function that returns a time").optional(),
} satisfies Record<keyof MemoryStoreOptions, z.ZodType>);

interface Open extends StoredRequest {
  readonly belongings: Belongings;
  readonly runId: string | null;
  /** The time until which it can be answered, by this clock; null without end. */
  readonly deadline: number | null;
  readonly notes: ReadonlyMap<string, string>;
}

interface StoredGrant {
  readonly grant: Grant;
  readonly runId: string;
  /** Its end by this clock. */
  readonly end: number;
  readonly usesLeft: number;
}

const NO_NOTES: ReadonlyMap<string, string> = new Map();

/** Keeps everything in this process, and loses it with the process. */
export class MemoryStore implements Store {
  readonly outlivesProcess: boolean = false;
  readonly #id = randomUUID();
  readonly #now: () => number;
  readonly #maxSettled: number;
  readonly #open = new Map<string, Open>();
  readonly #settled = new Map<string, StoredRequest & Pick<Open, "runId">>();
  readonly #grants = new Map<string, StoredGrant>();
  /** The time until which each run counts as alive. */
  readonly #runs = new Map<string, number>();
  readonly #events: NumberedEvents;
  readonly #watchers = new Set<() => void>();

  /** Throws `USAGE` for unknown options. */
  constructor(options: MemoryStoreOptions = {}) {
    assertOptions("MemoryStore", MEMORY_OPTIONS, options);
    const { maxEvents = 20_000, maxSettled = 2_000, now = Date.now } = options;
    this.#events = new NumberedEvents(maxEvents);
    this.#maxSettled = maxSettled;
    this.#now = now;
  }

  async id(): Promise<string> {
    return this.#id;
  }

  async add(request: ApprovalRequest, belongings: Belongings, news: ApprovalNews): Promise<void> {
    const { approvalId } = request;
    if (this.#open.has(approvalId) || this.#settled.has(approvalId))
      throw new CofferdamError("INTERNAL", `a request with the id ${visible(approvalId)} already exists`);
    const deadline = request.expiresAt === null ? null : this.#now() + request.expiresAt - request.createdAt;
    const fresh = { status: "pending", decision: null, runId: null } as const;
    this.#open.set(approvalId, { request, belongings, deadline, ...fresh, notes: NO_NOTES });
    this.#publish(news);
  }

  async find(approvalId: string): Promise<StoredRequest | null> {
    const stored = this.#open.get(approvalId);
    const found = stored ?? this.#settled.get(approvalId);
    if (found === undefined) return null;
    const { request, status, decision } = found;
    return { request, status, decision };
  }

  async belongings(approvalId: string): Promise<Belongings | null> {
    return this.#open.get(approvalId)?.belongings ?? null;
  }

  async resolve(approvalId: string, decision: Decision, news: ApprovalNews): Promise<Resolution> {
    const stored = this.#open.get(approvalId);
    if (stored === undefined) {
      const ended = this.#settled.get(approvalId);
      return ended === undefined ? "unknown" : ended.status === "expired" ? "expired" : "duplicate";
    }
    if (stored.status !== "pending") return "duplicate";
    if (decision.status !== "expired" && this.#isOver(stored)) return "expired";
    if (decision.status === "approved")
      this.#open.set(approvalId, { ...stored, status: "approved", decision });
    else this.#settle(stored, decision.status, decision);
    this.#publish(news);
    return "accepted";
  }

  async claim(approvalId: string, runId: string): Promise<boolean> {
    const stored = this.#open.get(approvalId);
    if (stored?.status !== "approved") return false;
    this.#open.set(approvalId, { ...stored, status: "executing", runId });
    return true;
  }

  async finish(approvalId: string, runId: string, how: "done" | "failed"): Promise<boolean> {
    const stored = this.#open.get(approvalId);
    const ended = this.#settled.get(approvalId);
    if (how === "done" && ended?.status === "failed" && ended.runId === runId) {
      this.#settled.set(approvalId, { ...ended, status: how, runId: null });
      return true;
    }
    if (stored?.status !== "executing" || stored.runId !== runId) return false;
    // A run reports its end once; a run that was abandoned may still do so.
    this.#settle({ ...stored, runId: null }, how, stored.decision);
    return true;
  }

  async abandon(approvalId: string, news: ApprovalNews): Promise<boolean> {
    const stored = this.#open.get(approvalId);
    if (stored === undefined || !this.#isAbandoned(stored)) return false;
    this.#settle(stored, "failed", stored.decision);
    this.#publish(news);
    return true;
  }

  async pending(): Promise<readonly ApprovalRequest[]> {
    return this.#requests((stored) => stored.status === "pending" && !this.#isOver(stored));
  }

  async keepAlive(runId: string, forMs: number): Promise<void> {
    this.#runs.set(runId, this.#now() + forMs);
  }

  async isAlive(runId: string): Promise<boolean> {
    return this.#hears(runId);
  }

  async overdue(): Promise<Overdue> {
    return {
      expired: this.#requests((stored) => stored.status === "pending" && this.#isOver(stored)),
      abandoned: this.#requests((stored) => this.#isAbandoned(stored)),
      grants: [...this.#grants.values()].flatMap(({ grant, runId }) => (this.#hears(runId) ? [] : [grant])),
    };
  }

  async saveGrant(grant: Grant, runId: string, news: ApprovalNews): Promise<void> {
    const { lastsMs, maxUses } = boundsOf(grant);
    const end = lastsMs === null ? Number.POSITIVE_INFINITY : this.#now() + lastsMs;
    const usesLeft = maxUses ?? Number.POSITIVE_INFINITY;
    this.#grants.set(grant.grantId, { grant, runId, end, usesLeft });
    this.#publish(news);
  }

  async useGrant(grantId: string): Promise<boolean> {
    const found = this.#grants.get(grantId);
    if (found === undefined || !this.#holds(found)) return false;
    this.#grants.set(grantId, { ...found, usesLeft: found.usesLeft - 1 });
    return true;
  }

  async grants(sessionId: string | null): Promise<readonly Grant[]> {
    return [...this.#grants.values()].flatMap((one) => {
      const { grant, runId } = one;
      const isMeant = sessionId === null ? this.#hears(runId) : grant.sessionId === sessionId;
      return isMeant && this.#holds(one) ? [grant] : [];
    });
  }

  async findGrant(grantId: string): Promise<Grant | null> {
    return this.#grants.get(grantId)?.grant ?? null;
  }

  async removeGrant(grantId: string, news: ApprovalNews): Promise<boolean> {
    if (!this.#grants.delete(grantId)) return false;
    this.#publish(news);
    return true;
  }

  async note(approvalId: string, channel: string, text: string): Promise<void> {
    const stored = this.#open.get(approvalId);
    if (stored === undefined) return;
    this.#open.set(approvalId, { ...stored, notes: new Map([...stored.notes, [channel, text]]) });
  }

  async noted(approvalId: string, channel: string): Promise<string | null> {
    return this.#open.get(approvalId)?.notes.get(channel) ?? null;
  }

  async append(news: ApprovalNews): Promise<void> {
    this.#publish(news);
  }

  async eventsAfter(
    seq: number | null,
    limit: number,
    runId: string | null,
  ): Promise<readonly ApprovalEvent[]> {
    return this.#events.after(seq, limit, runId);
  }

  async lastSeq(): Promise<number> {
    return this.#events.last;
  }

  watch(onChange: () => void): Disposable {
    // A new function each time: the same function may watch twice.
    const watcher = (): void => onChange();
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** Closes the store, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watchers.clear();
  }

  #publish(news: ApprovalNews): void {
    this.#events.add(news);
    for (const watcher of [...this.#watchers]) watcher();
  }

  #requests(isMeant: (stored: Open) => boolean): readonly ApprovalRequest[] {
    return [...this.#open.values()].flatMap((stored) => (isMeant(stored) ? [stored.request] : []));
  }

  #holds({ end, usesLeft }: StoredGrant): boolean {
    return usesLeft > 0 && this.#now() < end;
  }

  #isOver({ deadline }: Open): boolean {
    return deadline !== null && this.#now() >= deadline;
  }

  #isAbandoned({ status, runId }: Open): boolean {
    return status === "executing" && runId !== null && !this.#hears(runId);
  }

  #hears(runId: string): boolean {
    return this.#now() < (this.#runs.get(runId) ?? 0);
  }

  #settle(
    { request, runId }: Open,
    status: StoredRequest["status"],
    decision: StoredRequest["decision"],
  ): void {
    const { approvalId } = request;
    this.#open.delete(approvalId);
    const kept = decision === null ? null : withoutInput(decision);
    this.#settled.set(approvalId, { request, status, decision: kept, runId });
    if (this.#settled.size <= this.#maxSettled) return;
    for (const oldest of this.#settled.keys()) {
      this.#settled.delete(oldest);
      return;
    }
  }
}
