import type { ApprovalEvent } from "../event/event.ts";
import type { Store } from "../store/store.ts";
import type { EventFilter } from "./subscribers.ts";
import type { WaitingRoom } from "./waiting-room.ts";
import type { Waits } from "./waits.ts";

/** How long a store that can't be read is left alone. */
const PAUSE_MS = 500;

/** What a learner looks at, and whom it tells. */
export interface LearnerOptions {
  readonly store: Store;
  readonly room: WaitingRoom;
  readonly waits: Waits;
  readonly events: (filter: EventFilter) => AsyncIterable<ApprovalEvent>;
  /** A request of any run came in. */
  readonly onRequest: (event: Extract<ApprovalEvent, { readonly type: "approval.requested" }>) => void;
}

/** Follows what all runs of a store tell: answers that were given elsewhere reach whoever waits here. */
export class Learner implements Disposable {
  readonly #options: LearnerOptions;
  readonly #end = new AbortController();
  #begun: Promise<void> | null = null;

  constructor(options: LearnerOptions) {
    this.#options = options;
  }

  /** From here on nothing is missed. */
  begin(): Promise<void> {
    this.#begun ??= this.#begin().catch((cause: unknown) => {
      this.#begun = null;
      throw cause;
    });
    return this.#begun;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #begin(): Promise<void> {
    const after = await this.#options.store.lastSeq();
    void this.#follow(after);
  }

  async #follow(from: number): Promise<void> {
    const { signal } = this.#end;
    let after = from;
    while (!signal.aborted) {
      try {
        for await (const event of this.#options.events({ after, runId: null, signal })) {
          after = event.seq;
          await this.#take(event);
        }
        return;
      } catch {
        after = (await this.#catchUp()) ?? after;
      }
    }
  }

  async #take(event: ApprovalEvent): Promise<void> {
    const { room, waits, onRequest } = this.#options;
    if (event.type === "approval.requested") onRequest(event);
    if (event.type !== "approval.resolved" && event.type !== "approval.expired") return;
    const waiting = room.find(event.approvalId);
    if (waiting !== null) await waits.learn(waiting);
  }

  /**
   * The store could not be read, or what happened is no longer kept: looks at each request that waits, and says from
   * where on to go on. Null as long as that can't be done either.
   */
  async #catchUp(): Promise<number | null> {
    const { store, room, waits } = this.#options;
    await pause(PAUSE_MS, this.#end.signal);
    try {
      const after = await store.lastSeq();
      for (const waiting of room.all()) await waits.learn(waiting);
      return after;
    } catch {
      return null;
    }
  }
}

/** Keeps no process alive; ends early with the signal. */
function pause(forMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, forMs);
    timer.unref();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
