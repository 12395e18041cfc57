import { setImmediate as nextTurn } from "node:timers/promises";
import type { Broker } from "../approval/broker.ts";
import { CofferdamError } from "../errors.ts";
import { pause } from "../host/pause.ts";
import type { EventClient } from "./event-client.ts";
import { frameOf } from "./event-frame.ts";

/** Maximum of events sent to all clients before other work of this process continues. */
const MAX_AT_ONCE = 64;
/** The pause after the store could not be read. */
const RETRY_MS = 500;

/** Reads the store's events once, and sends them to all clients. */
export class EventFeed implements Disposable {
  readonly storeId: string;
  readonly #broker: Broker;
  readonly #clients: ReadonlySet<EventClient>;
  readonly #end = new AbortController();
  #lastSeq: number;
  /** Settles when no client is reading missed events. */
  #missed: Promise<unknown> = Promise.resolve();

  private constructor(broker: Broker, clients: ReadonlySet<EventClient>, storeId: string, lastSeq: number) {
    this.#broker = broker;
    this.#clients = clients;
    this.storeId = storeId;
    this.#lastSeq = lastSeq;
  }

  /** Starts after the last event. Throws `STORE_UNAVAILABLE`. */
  static async open(broker: Broker, clients: ReadonlySet<EventClient>): Promise<EventFeed> {
    const feed = new EventFeed(broker, clients, await broker.storeId(), await broker.lastSeq());
    void feed.#read();
    return feed;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get hasEnded(): boolean {
    return this.#end.signal.aborted;
  }

  /** Sends a client its missed events from the store. After that it gets every new event. */
  async catchUp(client: EventClient): Promise<void> {
    const { queue } = client;
    try {
      while (client.lastSeq < this.#lastSeq) {
        await queue.emptied();
        const before = client.lastSeq;
        // One client after the other: a wave of reconnects must neither delay the others nor fill the memory.
        const done = this.#missed.then(() => this.#sendMissed(client));
        this.#missed = done.catch(() => undefined).then(() => nextTurn());
        await done;
        // The client has left, or the broker has ended.
        if (client.lastSeq === before) return queue.end();
      }
    } catch (cause) {
      // The client reconnects, and the status of that response gives the reason.
      if (!isGone(cause)) return queue.end();
      client.reset(this.#lastSeq, "gone");
    }
    client.isLive = true;
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #sendMissed(client: EventClient): Promise<void> {
    const signal = AbortSignal.any([client.queue.closed, this.#end.signal]);
    for await (const event of this.#broker.events({ after: client.lastSeq, runId: null, signal })) {
      client.send(frameOf(event, this.storeId));
      // The other half is for events that arrive while the client reads these.
      if (client.queue.isHalfFull || event.seq >= this.#lastSeq) return;
    }
  }

  async #read(): Promise<void> {
    while (!this.hasEnded) {
      try {
        await this.#sendNew();
        this.#end.abort();
      } catch (cause) {
        const lastSeq = isGone(cause) ? await this.#broker.lastSeq().catch(() => null) : null;
        if (lastSeq === null) await pause(RETRY_MS, { isHeld: false });
        else this.#toLive((client) => client.reset(lastSeq, "gone"), lastSeq);
      }
    }
    for (const { queue } of this.#clients) queue.end();
  }

  async #sendNew(): Promise<void> {
    const { signal } = this.#end;
    let count = 0;
    for await (const event of this.#broker.events({ after: this.#lastSeq, runId: null, signal })) {
      const frame = frameOf(event, this.storeId);
      this.#toLive((client) => client.send(frame), event.seq);
      count += 1;
      if (count % MAX_AT_ONCE === 0) await nextTurn();
    }
  }

  #toLive(deliver: (client: EventClient) => void, lastSeq: number): void {
    this.#lastSeq = lastSeq;
    for (const client of this.#clients) if (client.isLive) deliver(client);
  }
}

function isGone(cause: unknown): boolean {
  return cause instanceof CofferdamError && cause.code === "EVENTS_GONE";
}
