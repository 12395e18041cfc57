import type { Broker } from "../approval/broker.ts";
import { requestView } from "../approval/stream-view.ts";
import { CofferdamError } from "../errors.ts";
import { ClientQueue } from "./client-queue.ts";
import { EventClient, type EventSelection, isSelected } from "./event-client.ts";
import { EventFeed } from "./event-feed.ts";
import { greeting, unnumbered } from "./event-frame.ts";
import { seqOf } from "./event-id.ts";

/** The limits of the event stream. */
export interface EventStreamOptions {
  readonly maxClients: number;
  readonly heartbeatMs: number;
  /** Maximum time that a client may read nothing of its queue. */
  readonly stalledMs: number;
  readonly maxQueuedBytes: number;
}

/** Interval of the check of clients, unless their times are shorter. */
const TICK_MS = 1_000;

/** The approval events as server-sent events: one reader of the store, and one bounded queue per client. */
export class EventStream implements Disposable {
  readonly #broker: Broker;
  readonly #options: EventStreamOptions;
  readonly #clients = new Set<EventClient>();
  readonly #timer: NodeJS.Timeout;
  #opening = 0;
  #feed: Promise<EventFeed> | null = null;
  #hasEnded = false;

  constructor(broker: Broker, options: EventStreamOptions) {
    this.#broker = broker;
    this.#options = options;
    const { heartbeatMs, stalledMs } = options;
    const tickMs = Math.max(10, Math.min(TICK_MS, heartbeatMs / 4, stalledMs / 4));
    this.#timer = setInterval(() => {
      for (const client of this.#clients) client.tick(heartbeatMs, stalledMs);
    }, tickMs).unref();
  }

  /**
   * The response body for one more client: the events after `lastId`, or from now on. Null if there are too many
   * clients. `destroy` ends the connection, if it is known. Throws `STORE_UNAVAILABLE`.
   */
  async follow(
    selection: EventSelection,
    lastId: string | null,
    destroy: (() => void) | null,
  ): Promise<ReadableStream<Uint8Array> | null> {
    if (this.#clients.size + this.#opening >= this.#options.maxClients) return null;
    this.#opening += 1;
    try {
      const feed = await this.#open();
      const known = lastId === null ? null : await this.#knownSeq(lastId, feed);
      const lastSeq = known ?? feed.lastSeq;
      // A request made meanwhile is sent twice: here, and as an event.
      const isListed = lastId === null && selection.view === "stream";
      const waiting = isListed ? await this.#broker.pending() : [];
      if (this.#hasEnded || feed.hasEnded) throw new CofferdamError("CHANNEL_CLOSED", "the server has ended");
      const listed = waiting.filter((request) => isSelected(selection, request)).map(requestView);
      const first = Buffer.concat([greeting(feed.storeId, lastSeq), ...listed.map(unnumbered)]);
      const queue = new ClientQueue(this.#options.maxQueuedBytes, first, destroy);
      const client = new EventClient(queue, feed.storeId, selection, lastSeq);
      this.#clients.add(client);
      queue.closed.addEventListener("abort", () => this.#clients.delete(client));
      if (lastId !== null && known === null) client.reset(lastSeq, "another store");
      void feed.catchUp(client);
      return queue.body;
    } finally {
      this.#opening -= 1;
    }
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true;
    clearInterval(this.#timer);
    for (const { queue } of this.#clients) queue.end();
    // If it could not be opened, the client knows.
    this.#feed?.then((feed) => feed[Symbol.dispose]()).catch(() => undefined);
  }

  /** The event number in an id; null for an id of another store, and for a number that the store has not reached. */
  async #knownSeq(id: string, { storeId, lastSeq }: EventFeed): Promise<number | null> {
    const seq = seqOf(id, storeId);
    if (seq === null || seq <= lastSeq) return seq;
    // Another server of this store may be ahead.
    return seq <= (await this.#broker.lastSeq()) ? seq : null;
  }

  async #open(): Promise<EventFeed> {
    this.#feed ??= EventFeed.open(this.#broker, this.#clients);
    const feed = this.#feed;
    try {
      return await feed;
    } catch (cause) {
      // The next client tries again.
      if (this.#feed === feed) this.#feed = null;
      throw cause;
    }
  }
}
