import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { Broker } from "../approval/broker.ts";
import { CofferdamError } from "../errors.ts";
import { frameOf } from "./frame.ts";
import { Ring } from "./ring.ts";

/** Somebody who follows. */
export interface Follower {
  /** There are frames that were not there before. */
  onFrames(): void;
  /** Events are left out: what comes begins anew at the ring's end. */
  onLost(): void;
  /** There will be no more. */
  onEnd(): void;
}

/** Enough for who comes back soon; whoever missed more reads the broker. */
const RING = { frames: 4_096, bytes: 8 * 1024 ** 2 } as const;
/** So many events are taken before others have their turn. */
const AT_ONCE = 256;
/** How long a store that can't be read is left alone. */
const PAUSE_MS = 500;

/** Reads the broker's events once for all who follow, and keeps the last of them as they go over the wire. */
export class Feed implements Disposable {
  readonly storeId: string;
  readonly #broker: Broker;
  readonly #followers = new Set<Follower>();
  readonly #end = new AbortController();
  #ring: Ring;
  #isWaking = false;
  #isOver = false;

  private constructor(broker: Broker, storeId: string, lastSeq: number) {
    this.#broker = broker;
    this.storeId = storeId;
    this.#ring = new Ring(lastSeq, RING);
  }

  /** Begins with the next event. Throws `STORE_UNAVAILABLE`. */
  static async open(broker: Broker): Promise<Feed> {
    const feed = new Feed(broker, await broker.storeId(), await broker.lastSeq());
    void feed.#read();
    return feed;
  }

  /** The last events. Another one after some were lost. */
  get ring(): Ring {
    return this.#ring;
  }

  /** True when there will be no more events. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Tells somebody of all that comes, until what this returns is disposed of. */
  join(follower: Follower): Disposable {
    this.#followers.add(follower);
    return { [Symbol.dispose]: () => void this.#followers.delete(follower) };
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }

  async #read(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await this.#readOn(signal);
        break;
      } catch (cause) {
        if (cause instanceof CofferdamError && cause.code === "EVENTS_GONE") await this.#beginAnew();
        else await pause(PAUSE_MS, undefined, { ref: false });
      }
    }
    this.#isOver = true;
    for (const follower of [...this.#followers]) follower.onEnd();
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    let count = 0;
    for await (const event of this.#broker.events({ after: this.#ring.lastSeq, runId: null, signal })) {
      this.#ring.push(frameOf(event, this.storeId));
      this.#wake();
      count += 1;
      if (count % AT_ONCE === 0) await turn();
    }
  }

  async #beginAnew(): Promise<void> {
    try {
      this.#ring = new Ring(await this.#broker.lastSeq(), RING);
      for (const follower of [...this.#followers]) follower.onLost();
    } catch {
      // It is found out again, when the store can be read.
      await pause(PAUSE_MS, undefined, { ref: false });
    }
  }

  /** Once for all events that come together. */
  #wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      for (const follower of [...this.#followers]) follower.onFrames();
    });
  }
}
