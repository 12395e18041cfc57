import type { ApprovalEvent } from "../event/event.ts";
import type { Store } from "../store/store.ts";

/** So many events are read at once. */
const BATCH = 256;

/** Which events a subscriber wants. */
export interface EventFilter {
  /** The number of the last event that was seen; without it, all that are kept. */
  readonly after?: number;
  /** Another run's than the broker's own, as far as the store keeps them. */
  readonly runId?: string;
  readonly sessionId?: string;
  readonly signal?: AbortSignal;
}

/** Keeps events and wakes those who follow them. A slow reader holds nobody up and loses nothing: it reads the store. */
export class Subscribers implements Disposable {
  readonly #store: Store;
  readonly #runId: string;
  /** Wakes whoever sleeps until the next event. */
  readonly #sleepers = new Set<() => void>();
  /** Ends when every event so far is kept, or could not be. */
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;
  #isOver = false;

  constructor(store: Store, runId: string) {
    this.#store = store;
    this.#runId = runId;
  }

  /**
   * Keeps an event, then tells everyone that there is one. Events are kept one after the other, in the order in which
   * they are told; none is kept before what is done `first` for an earlier one is done.
   */
  tell(event: ApprovalEvent, first?: () => Promise<void>): Promise<void> {
    const told = this.#last.then(async () => {
      await first?.();
      await this.#store.append(event);
      this.#count += 1;
      this.#wake();
    });
    // That one event could not be kept is its teller's to say, and keeps no other back.
    this.#last = told.catch(() => undefined);
    return told;
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
    this.#wake();
  }

  async *#follow(filter: EventFilter, left: AbortController): AsyncGenerator<ApprovalEvent, void> {
    const { after, runId = this.#runId, sessionId, signal } = filter;
    const hasLeft = (): boolean => left.signal.aborted || signal?.aborted === true;
    signal?.addEventListener("abort", () => left.abort(), { once: true, signal: left.signal });
    try {
      let seen = after ?? null;
      while (!hasLeft()) {
        const count = this.#count;
        const batch = await this.#store.eventsAfter(runId, seen, BATCH);
        for (const event of batch) {
          if (hasLeft()) return;
          seen = event.seq;
          if (sessionId === undefined || event.sessionId === sessionId) yield event;
        }
        if (batch.length > 0) continue;
        if (this.#isOver) return;
        await this.#sleep(count, left.signal);
      }
    } finally {
      // With it goes the listener on the subscriber's own signal.
      left.abort();
    }
  }

  /** Until something was told since the count was taken, or the subscriber leaves. */
  #sleep(count: number, left: AbortSignal): Promise<void> {
    if (count !== this.#count || this.#isOver || left.aborted) return Promise.resolve();
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
    for (const wake of [...this.#sleepers]) wake();
  }
}
