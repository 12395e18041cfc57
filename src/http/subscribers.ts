import type { Broker } from "../approval/broker.ts";
import { matching } from "../approval/request-filter.ts";
import { requestView } from "../approval/stream-view.ts";
import { CofferdamError } from "../errors.ts";
import { Turns } from "../network/turns.ts";
import { seqOf } from "./event-id.ts";
import { Feed } from "./feed.ts";
import { greeting, unnumbered } from "./frame.ts";
import { bodyOutlet } from "./outlet.ts";
import { type Patience, Subscriber, type Wanted } from "./subscriber.ts";

/** How many may follow, and how patient the server is with them. */
export interface SubscribersOptions extends Patience {
  readonly mostSubscribers: number;
}

/** So many read the broker at once. */
const READERS = 16;
/** One that could not be opened has told so to whoever wanted it. */
const NOTHING = (): void => undefined;
/** How often it is looked who takes nothing. */
const TICK_MS = 1_000;

/** Everybody who follows the events by a connection. One reader of the broker serves them all. */
export class Subscribers implements Disposable {
  readonly #broker: Broker;
  readonly #options: SubscribersOptions;
  readonly #all = new Set<Subscriber>();
  readonly #turns = new Turns(READERS);
  #feed: Promise<Feed> | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Those that are about to follow count, too. */
  #count = 0;
  #isOver = false;

  constructor(broker: Broker, options: SubscribersOptions) {
    this.#broker = broker;
    this.#options = options;
  }

  /**
   * The body for one more: events behind `lastId`, or from now on. Null where there are too many. `destroy` ends the
   * connection. Throws `STORE_UNAVAILABLE`.
   */
  async follow(
    wanted: Wanted,
    lastId: string | null,
    destroy: (() => void) | null,
  ): Promise<ReadableStream<Uint8Array> | null> {
    if (this.#count >= this.#options.mostSubscribers) return null;
    this.#count += 1;
    try {
      return await this.#follow(wanted, lastId, destroy);
    } catch (cause) {
      this.#count -= 1;
      throw cause;
    }
  }

  /** Every body ends, and nobody can follow any more. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const subscriber of [...this.#all]) subscriber.onEnd();
    this.#feed?.then((feed) => feed[Symbol.dispose](), NOTHING);
  }

  async #follow(
    wanted: Wanted,
    lastId: string | null,
    destroy: (() => void) | null,
  ): Promise<ReadableStream<Uint8Array>> {
    const feed = await this.#open();
    const seq = lastId === null ? null : await this.#known(lastId, feed);
    // What is made meanwhile is told behind what waits already: perhaps twice, but never not at all.
    const from = seq ?? feed.ring.lastSeq;
    const waiting = lastId === null && wanted.view === "stream" ? await this.#waiting(wanted) : [];
    if (this.#isOver || feed.isOver) throw new CofferdamError("CHANNEL_CLOSED", "the server has ended");
    let subscriber: Subscriber | null = null;
    const events = { onRoom: () => subscriber?.onRoom(), onGone: () => subscriber?.onGone() };
    const { outlet, body } = bodyOutlet(events, destroy);
    for (const bytes of [greeting(feed.storeId, from), ...waiting]) outlet.write(bytes);
    const { patience, turns } = { patience: this.#options, turns: this.#turns };
    const onOver = (): void => {
      if (subscriber !== null) this.#all.delete(subscriber);
      this.#count -= 1;
    };
    subscriber = new Subscriber(
      { broker: this.#broker, feed, outlet, wanted, patience, turns, onOver },
      from,
    );
    this.#all.add(subscriber);
    if (lastId !== null && seq === null) subscriber.tellReset("another store");
    return body;
  }

  /** The number that an id stands for here; null for one of another store, or that nothing has yet. */
  async #known(id: string, { storeId, ring }: Feed): Promise<number | null> {
    const seq = seqOf(id, storeId);
    if (seq === null || seq <= ring.lastSeq) return seq;
    // Somebody else who serves this store may be ahead.
    return seq <= (await this.#broker.lastSeq()) ? seq : null;
  }

  /** The requests that wait already, for those who are told of nothing else that was before them. */
  async #waiting({ runId, sessionId }: Wanted): Promise<readonly Uint8Array[]> {
    const isWanted = matching({
      ...(runId === null ? {} : { runId }),
      ...(sessionId === null ? {} : { sessionId }),
    });
    const requests = (await this.#broker.pending()).filter(isWanted);
    return requests.map((request) => unnumbered(requestView(request)));
  }

  async #open(): Promise<Feed> {
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs()).unref();
    this.#feed ??= Feed.open(this.#broker);
    const feed = this.#feed;
    try {
      return await feed;
    } catch (cause) {
      // The next one tries again.
      if (this.#feed === feed) this.#feed = null;
      throw cause;
    }
  }

  #tickMs(): number {
    const { heartbeatMs, stalledMs } = this.#options;
    return Math.max(10, Math.min(TICK_MS, heartbeatMs / 4, stalledMs / 4));
  }

  #tick(): void {
    for (const subscriber of [...this.#all]) subscriber.tick();
  }
}
