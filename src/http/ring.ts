import type { Frame, View } from "./frame.ts";

/** How much a ring holds at the most. */
export interface RingSize {
  readonly frames: number;
  readonly bytes: number;
}

/** A frame, and how many bytes came before it. */
interface Kept {
  readonly frame: Frame;
  readonly before: number;
}

/**
 * The last events as they go over the wire, one for all who follow. Places count from the first that ever was: a reader
 * keeps the place that it has come to.
 */
export class Ring {
  readonly #most: RingSize;
  #kept: Kept[] = [];
  /** The place of the first that is kept. */
  #first = 0;
  #bytes = 0;
  #floor: number;
  #last: number;
  /** The last piece that was made: most who follow are at one place. */
  #joined: {
    readonly place: number;
    readonly end: number;
    readonly view: View;
    readonly bytes: Uint8Array | null;
  } | null = null;

  /** Empty: it will hold what comes behind an event's number. */
  constructor(behind: number, most: RingSize) {
    this.#most = most;
    this.#floor = behind;
    this.#last = behind;
  }

  /** The place behind the last one. */
  get end(): number {
    return this.#first + this.#kept.length;
  }

  /** How many bytes there ever were. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of the last event that there was. */
  get lastSeq(): number {
    return this.#last;
  }

  push(frame: Frame): void {
    this.#kept.push({ frame, before: this.#bytes });
    this.#bytes += sizeOf(frame);
    this.#last = frame.seq;
    const oldest = this.#kept[0]?.before ?? 0;
    const { frames, bytes } = this.#most;
    if (this.#kept.length > frames * 1.1 || this.#bytes - oldest > bytes * 1.1) this.#shorten();
  }

  /** The place from which on everything behind a number stands; null where some of it is not here any more. */
  placeBehind(seq: number): number | null {
    if (seq < this.#floor) return null;
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#kept[middle]?.frame.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return this.#first + low;
  }

  /** The frame at a place; null before the first that is kept, and behind the last. */
  at(place: number): Frame | null {
    return this.#kept[place - this.#first]?.frame ?? null;
  }

  /** How many bytes stand from a place on. */
  bytesFrom(place: number): number {
    const before = this.#kept[Math.max(0, place - this.#first)]?.before;
    return before === undefined ? 0 : this.#bytes - before;
  }

  /** All from a place to the end, in one piece; null where there is nothing in this view. */
  joined(place: number, view: View): Uint8Array | null {
    const last = this.#joined;
    if (last !== null && last.place === place && last.end === this.end && last.view === view)
      return last.bytes;
    const parts = this.#kept.slice(place - this.#first).flatMap(({ frame }) => frame.bytes[view] ?? []);
    const [only] = parts;
    const bytes = only === undefined ? null : parts.length === 1 ? only : Buffer.concat(parts);
    this.#joined = { place, end: this.end, view, bytes };
    return bytes;
  }

  /** A tenth at once: to take the first off a long list one by one would cost its length each time. */
  #shorten(): void {
    const { frames, bytes } = this.#most;
    const isKept = ({ before }: Kept, index: number): boolean =>
      this.#kept.length - index <= frames && this.#bytes - before <= bytes;
    const found = this.#kept.findIndex(isKept);
    const count = found === -1 ? this.#kept.length : found;
    this.#floor = this.#kept[count - 1]?.frame.seq ?? this.#floor;
    this.#kept = this.#kept.slice(count);
    this.#first += count;
  }
}

function sizeOf({ bytes }: Frame): number {
  return (bytes.envelope?.length ?? 0) + (bytes.stream?.length ?? 0);
}
