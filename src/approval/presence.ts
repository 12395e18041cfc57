import type { ApprovalRequest } from "../policy/request.ts";
import type { Store } from "../store/store.ts";
import type { Registry } from "./registry.ts";

/** So long a run counts as there without saying so again. */
const ALIVE_MS = 30_000;
/** How often it says so. */
const BEAT_MS = 10_000;

/**
 * Says in a store that outlives the process that this run is there, for as long as something of it is open, and sees to
 * what others left: requests whose time is over, runs that took a request and died.
 */
export class Presence implements AsyncDisposable {
  readonly #runId: string;
  readonly #store: Store;
  readonly #registry: Registry;
  #begun: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** How many hold the process. */
  #holding = 0;
  /** Whether the last beat went through. */
  #isSteady = true;
  #hasEnded = false;

  constructor(runId: string, store: Store, registry: Registry) {
    this.#runId = runId;
    this.#store = store;
    this.#registry = registry;
  }

  /** Before anything of this run is kept. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin().catch((cause: unknown) => {
      // The next one tries again.
      this.#begun = null;
      throw cause;
    });
    return this.#begun;
  }

  /**
   * One more, or one less, for whom something may come from elsewhere: a call that stands still until it is answered, or
   * somebody who attends. While there is one the process does not end by itself.
   */
  hold(change: 1 | -1): void {
    this.#holding += change;
    this.#keepHolding();
  }

  /**
   * Ends what nobody will end any more: what was not answered in time expires, what was taken by a run that is gone has
   * failed, what was granted to its sessions is taken back. Each is done by one of those who try.
   */
  async sweep(): Promise<void> {
    const { expired, abandoned, grants } = await this.#store.overdue();
    await this.#expire(expired);
    for (const request of abandoned) await this.#registry.abandon(request);
    for (const { grantId } of grants) await this.#registry.revoke(grantId, THE_END);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#begun === null || !this.#store.outlivesProcess) return;
    try {
      await this.#begun;
      await this.#store.keepAlive(this.#runId, 0);
    } catch {
      // Then it is not heard of any more when its time has run out.
    }
  }

  async #begin(): Promise<void> {
    if (!this.#store.outlivesProcess) return this.#store.keepAlive(this.#runId, Number.POSITIVE_INFINITY);
    await this.#store.keepAlive(this.#runId, ALIVE_MS);
    // No run of a store may last until its first beat.
    await this.#expire((await this.#store.overdue()).expired);
    if (this.#hasEnded) return;
    this.#timer ??= setInterval(() => void this.#beat(), BEAT_MS);
    this.#keepHolding();
  }

  async #expire(requests: readonly ApprovalRequest[]): Promise<void> {
    for (const request of requests) await this.#registry.decide(request, { status: "expired" });
  }

  #keepHolding(): void {
    if (this.#holding > 0) this.#timer?.ref();
    else this.#timer?.unref();
  }

  /**
   * When this run was not heard of itself for a while, as when the machine slept or the store was away, nobody was: then
   * all have until the next beat to say that they are there.
   */
  async #beat(): Promise<void> {
    const wasSteady = this.#isSteady;
    this.#isSteady = false;
    try {
      const wasHeardOf = await this.#store.isAlive(this.#runId);
      await this.#store.keepAlive(this.#runId, ALIVE_MS);
      this.#isSteady = true;
      if (wasSteady && wasHeardOf) await this.sweep();
    } catch {
      // A store that can't be reached now is tried again with the next beat; whoever needs it is told.
    }
  }
}

/** Who takes grants back whose session is gone. */
const THE_END = "the session's end";
