import type { ApprovalEvent } from "../event/event.ts";
import type { Store } from "../store/store.ts";

/** So many events are read at once. */
const BATCH = 256;

/** Which events a subscriber wants. */
export interface EventFilter {
  /** The number of the last event that was seen; without it, all that are kept. */
  readonly after?: number;
  readonly runId?: string;
  readonly sessionId?: string;
  readonly signal?: AbortSignal;
}

/** Keeps events and wakes those who follow them. A slow reader holds nobody up and loses nothing: it reads the store. */
export class Subscribers implements Disposable {
  readonly #store: Store;
  /** Wakes whoever sleeps until the next event. */
  readonly #sleepers = new Set<() => void>();
  #count = 0;
  #isOver = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Keeps an event, then tells everyone that there is one. */
  async tell(event: ApprovalEvent): Promise<void> {
    await this.#store.append(event);
    this.#count += 1;
    this.#wake();
  }

  /** The events behind `after` in their order, as long as there is a supervisor and no signal. */
  async *events({ after = -1, runId, sessionId, signal }: EventFilter): AsyncGenerator<ApprovalEvent, void> {
    let seen = after;
    while (signal?.aborted !== true) {
      const count = this.#count;
      const batch = await this.#store.eventsAfter(seen, BATCH);
      for (const event of batch) {
        seen = event.seq;
        const isWanted =
          (runId === undefined || event.runId === runId) &&
          (sessionId === undefined || event.sessionId === sessionId);
        if (isWanted) yield event;
      }
      if (batch.length > 0) continue;
      if (this.#isOver) return;
      await this.#sleep(count, signal);
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Until something was told since the count was taken. */
  #sleep(count: number, signal: AbortSignal | undefined): Promise<void> {
    if (count !== this.#count || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#sleepers.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of [...this.#sleepers]) wake();
  }
}
