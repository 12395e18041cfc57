import type { Overdue } from "../store/store.ts";
import type { ApprovalLog } from "./approval-log.ts";
import type { PendingRequests } from "./pending-requests.ts";
import { startOnce } from "./start-once.ts";

/** How long a run counts as alive after its last beat. */
const ALIVE_MS = 30_000;
const BEAT_MS = 10_000;

/** Marks this run as alive in a store that outlives the process, and ends the leftovers of dead runs there. */
export class Heartbeat implements AsyncDisposable {
  readonly #log: ApprovalLog;
  readonly #pending: PendingRequests;
  /** To be called before anything of this run is stored. After a failure the next call tries again. */
  readonly start = startOnce(() => this.#start());
  #hasStarted = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #holders = new Set<object>();
  #wasLastBeatStored = true;
  #hasEnded = false;

  constructor(log: ApprovalLog, pending: PendingRequests) {
    this.#log = log;
    this.#pending = pending;
  }

  /** Keeps the process alive until `release`: for waiting calls and attending handlers. */
  hold(holder: object): void {
    this.#holders.add(holder);
    this.#refTimer();
  }

  release(holder: object): void {
    this.#holders.delete(holder);
    this.#refTimer();
  }

  /** Expires requests, fails calls of dead runs, revokes their grants: each by only one of several processes. */
  async sweep(): Promise<void> {
    const { abandoned, grants } = await this.#expire();
    for (const request of abandoned) await this.#log.abandon(request);
    for (const { grantId } of grants) await this.#log.revoke(grantId, "the session's end");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    // A holder that ends later must not touch it: that would corrupt Node's count of timers.
    this.#timer = null;
    if (!this.#hasStarted) return;
    try {
      await this.start();
      await this.#log.store.keepAlive(this.#log.runId, 0);
    } catch {
      // Other processes notice the end of the run when its time is over.
    }
  }

  async #start(): Promise<void> {
    const { store, runId } = this.#log;
    if (!store.outlivesProcess) return store.keepAlive(runId, Number.POSITIVE_INFINITY);
    this.#hasStarted = true;
    await store.keepAlive(runId, ALIVE_MS);
    // All runs may be too short for a first beat, so requests expire here as well.
    await this.#expire();
    if (this.#hasEnded) return;
    this.#timer ??= setInterval(() => void this.#beat(), BEAT_MS);
    this.#refTimer();
  }

  async #expire(): Promise<Overdue> {
    const overdue = await this.#log.store.overdue();
    for (const request of overdue.expired) await this.#pending.decide(request, { status: "expired" });
    return overdue;
  }

  #refTimer(): void {
    this.#timer?.[this.#holders.size > 0 ? "ref" : "unref"]();
  }

  /** Sweeps nothing after own missed beats (sleep, outage of the store): all runs then have until the next one. */
  async #beat(): Promise<void> {
    const { store, runId } = this.#log;
    const wasLastBeatStored = this.#wasLastBeatStored;
    this.#wasLastBeatStored = false;
    try {
      const wasAlive = await store.isAlive(runId);
      await store.keepAlive(runId, ALIVE_MS);
      this.#wasLastBeatStored = true;
      if (wasLastBeatStored && wasAlive) await this.sweep();
    } catch {
      // The next beat tries again; other users of the store see the failure themselves.
    }
  }
}
