import type { Broker } from "../approval/broker.ts";
import { CofferdamError } from "../errors.ts";
import type { ApprovalEvent } from "../event/event.ts";
import type { Turns } from "../network/turns.ts";
import type { Feed, Follower } from "./feed.ts";
import { type Frame, frameOf, heartbeat, reset, type View } from "./frame.ts";
import type { Outlet } from "./outlet.ts";

/** Which events somebody wants, and how they are told. */
export interface Wanted {
  readonly view: View;
  readonly runId: string | null;
  readonly sessionId: string | null;
}

/** How patient a server is with those who follow. */
export interface Patience {
  /** How often it is said that the connection is there. */
  readonly heartbeatMs: number;
  /** How long somebody may take nothing. */
  readonly stalledMs: number;
  /** How much may come meanwhile. */
  readonly unsentBytes: number;
}

/** What a subscriber works with. */
export interface SubscriberOptions {
  readonly broker: Broker;
  readonly feed: Feed;
  readonly outlet: Outlet;
  readonly wanted: Wanted;
  readonly patience: Patience;
  /** How many read the broker at once. */
  readonly turns: Turns;
  /** It is over, by whomever. */
  readonly onOver: () => void;
}

/** So many events are read at once by somebody who missed more than the ring holds. */
const BATCH = 64;
/** More than this is not put into one piece. */
const MOST_JOINED = 64 * 1024;

/**
 * One who follows. It has a place in the ring, and is written to from there as long as its connection takes it; one that
 * takes nothing is cut off, and can come back with the number of what it saw last.
 */
export class Subscriber implements Follower {
  readonly #options: SubscriberOptions;
  readonly #joined: Disposable;
  readonly #over = new AbortController();
  /** Null while it reads the broker. */
  #place: number | null = null;
  /** The number of the last event that was told, or was not wanted. */
  #seen: number;
  /** Since when there is no room, and how much had come by then. */
  #stalled: { readonly at: number; readonly bytes: number } | null = null;
  #writtenAt = performance.now();
  /** Goes on with what waits for room. */
  #room: (() => void) | null = null;
  /** A body asks for more while it is given something. */
  #isPumping = false;

  /** `seen`: what was seen last. */
  constructor(options: SubscriberOptions, seen: number) {
    this.#options = options;
    this.#seen = seen;
    this.#joined = options.feed.join(this);
    void this.#catchUp();
  }

  onFrames(): void {
    this.#pump();
    this.#judge();
  }

  onLost(): void {
    this.tellReset("gone");
  }

  onEnd(): void {
    this.#end(() => this.#options.outlet.end());
  }

  /** The connection takes more. */
  onRoom(): void {
    if (!this.#options.outlet.hasRoom) return;
    this.#stalled = null;
    const go = this.#room;
    this.#room = null;
    if (go === null) this.#pump();
    else go();
  }

  /** Whoever followed has gone. */
  onGone(): void {
    this.#end(() => undefined);
  }

  /** Ends it where it takes nothing for too long; says that the connection is there where nothing else does. */
  tick(): void {
    this.#judge();
    const { outlet, patience, feed } = this.#options;
    const isQuiet = performance.now() - this.#writtenAt >= patience.heartbeatMs;
    if (!this.#over.signal.aborted && isQuiet && outlet.hasRoom)
      this.#write(heartbeat(feed.storeId, this.#seen));
  }

  /** Events are left out: it goes on with what comes from now on. */
  tellReset(because: "gone" | "another store"): void {
    const { feed } = this.#options;
    this.#seen = feed.ring.lastSeq;
    this.#place = feed.ring.end;
    this.#write(reset(feed.storeId, this.#seen, because));
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#send();
    this.#isPumping = false;
  }

  #send(): void {
    const { outlet, feed, wanted } = this.#options;
    const { ring } = feed;
    const isForAll = wanted.runId === null && wanted.sessionId === null;
    while (this.#place !== null && this.#place < ring.end && !this.#over.signal.aborted) {
      const frame = outlet.hasRoom ? ring.at(this.#place) : null;
      if (frame === null) {
        if (!outlet.hasRoom) this.#stall();
        // What it has not been sent is not here any more: it comes back, and reads the broker.
        else this.#cut();
        return;
      }
      if (isForAll && frame.seq > this.#seen && ring.bytesFrom(this.#place) <= MOST_JOINED) {
        const bytes = ring.joined(this.#place, wanted.view);
        if (bytes !== null) this.#write(bytes);
        this.#place = ring.end;
        this.#seen = ring.lastSeq;
      } else {
        this.#tell(frame);
        this.#place += 1;
      }
    }
  }

  #tell(frame: Frame): void {
    if (frame.seq <= this.#seen) return;
    this.#seen = frame.seq;
    const { view, runId, sessionId } = this.#options.wanted;
    const bytes = frame.bytes[view];
    const isWanted =
      (runId === null || frame.runId === runId) && (sessionId === null || frame.sessionId === sessionId);
    if (isWanted && bytes !== null) this.#write(bytes);
  }

  #write(bytes: Uint8Array): void {
    this.#options.outlet.write(bytes);
    this.#writtenAt = performance.now();
  }

  #stall(): void {
    this.#stalled ??= { at: performance.now(), bytes: this.#options.feed.ring.bytes };
  }

  #judge(): void {
    const { outlet, patience, feed } = this.#options;
    if (outlet.hasRoom) return;
    this.#stall();
    if (this.#stalled === null) return;
    const isLong = performance.now() - this.#stalled.at >= patience.stalledMs;
    if (isLong || feed.ring.bytes - this.#stalled.bytes > patience.unsentBytes) this.#cut();
  }

  /** From the broker, until the ring holds what comes next. */
  async #catchUp(): Promise<void> {
    const { signal } = this.#over;
    try {
      for (;;) {
        this.#place = this.#options.feed.ring.placeBehind(this.#seen);
        if (this.#place !== null) return this.#pump();
        const events = await this.#readSome(signal);
        if (events.length === 0) return this.onEnd();
        for (const event of events) {
          await this.#waitForRoom();
          if (signal.aborted) return;
          this.#tell(frameOf(event, this.#options.feed.storeId));
        }
      }
    } catch (cause) {
      if (signal.aborted) return;
      if (cause instanceof CofferdamError && cause.code === "EVENTS_GONE") this.tellReset("gone");
      // It comes back, and is told by its status what the matter is.
      else this.onEnd();
    }
  }

  async #readSome(signal: AbortSignal): Promise<readonly ApprovalEvent[]> {
    const { broker, turns, feed } = this.#options;
    return turns.take(signal, async () => {
      const events: ApprovalEvent[] = [];
      for await (const event of broker.events({ after: this.#seen, runId: null, signal })) {
        events.push(event);
        if (events.length === BATCH || feed.ring.placeBehind(event.seq) !== null) break;
      }
      return events;
    });
  }

  #waitForRoom(): Promise<void> {
    if (this.#options.outlet.hasRoom || this.#over.signal.aborted) return Promise.resolve();
    this.#stall();
    return new Promise((resolve) => {
      this.#room = resolve;
    });
  }

  #cut(): void {
    this.#end(() => this.#options.outlet.cut());
  }

  #end(last: () => void): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#joined[Symbol.dispose]();
    this.#room?.();
    last();
    this.#options.onOver();
  }
}
