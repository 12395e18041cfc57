import type { ApprovalEvent } from "../event/event.ts";
import type { Store } from "../store/store.ts";

/** So many events are read at once. */
const BATCH = 256;

/** Which events a subscriber wants. */
export interface EventFilter {
  /** The number of the last event that was seen; without it, all that are kept. */
  readonly after?: number;
  /** Another run's than the broker's own, as far as the store keeps them; null for those of every run. */
  readonly runId?: string | null;
  readonly sessionId?: string;
  readonly signal?: AbortSignal;
}

/** Those who follow the events of a store. A slow reader holds nobody up and loses nothing: it reads the store. */
export class Subscribers implements Disposable {
  readonly #store: Store;
  readonly #runId: string;
  /** Wakes whoever sleeps until the next event. */
  readonly #sleepers = new Set<() => void>();
  #watch: Disposable | null = null;
  #changes = 0;
  #isOver = false;

  constructor(store: Store, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  /**
   * The events behind `after` in their order, as long as there is a supervisor and no signal. Whoever returns early is
   * let go at once, also out of the wait for the next event.
   */
  events(filter: EventFilter): AsyncIterableIterator<ApprovalEvent, void> {
    const left = new AbortController();
    const following = this.#follow(filter, left);
    return {
      next: () => following.next(),
      return: () => {
        left.abort();
        return following.return();
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#watch?.[Symbol.dispose]();
    this.#wake();
  }

  async *#follow(filter: EventFilter, left: AbortController): AsyncGenerator<ApprovalEvent, void> {
    const { after, runId = this.#runId, sessionId, signal } = filter;
    const hasLeft = (): boolean => left.signal.aborted || signal?.aborted === true;
    signal?.addEventListener("abort", () => left.abort(), { once: true, signal: left.signal });
    if (!this.#isOver) this.#watch ??= this.#store.watch(() => this.#wake());
    try {
      let seen = after ?? null;
      while (!hasLeft()) {
        const [changes, isLast] = [this.#changes, this.#isOver];
        const batch = await this.#store.eventsAfter(seen, BATCH, runId);
        for (const event of batch) {
          if (hasLeft()) return;
          seen = event.seq;
          if (sessionId === undefined || event.sessionId === sessionId) yield event;
        }
        if (batch.length > 0) continue;
        if (isLast) return;
        await this.#sleep(changes, left.signal);
      }
    } finally {
      // With it goes the listener on the subscriber's own signal.
      left.abort();
    }
  }

  /** Until something changed since the count was taken, or the subscriber leaves. */
  #sleep(changes: number, left: AbortSignal): Promise<void> {
    if (changes !== this.#changes || left.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(wake);
        left.removeEventListener("abort", wake);
        resolve();
      };
      this.#sleepers.add(wake);
      left.addEventListener("abort", wake, { once: true });
    });
  }

  #wake(): void {
    this.#changes += 1;
    for (const wake of [...this.#sleepers]) wake();
  }
}
