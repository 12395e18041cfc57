import { setImmediate as othersTurn } from "node:timers/promises";

/** How long the search may hold the event loop before it lets others on. */
const TURN_MS = 8;

/**
 * So many folders are read at a time: enough to keep the pool of threads busy while names are compared here. Where the
 * disk is slow, so few that the pool (four threads, unless UV_THREADPOOL_SIZE says otherwise) has room for others.
 */
const WIDTH = 64;
const SLOW_WIDTH = 2;

/** A disk is slow when so many reads at a time take this long, or when so few folders are looked at in one turn. */
const SLOW_MS = 100;
const FEW_FOLDERS = 16;

/** Whether the disk was slow the last time something was asked of it. */
export class Pace {
  #isSlow = false;

  /** Then even to look at a folder is left to the pool: it would hold the event loop. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** How many folders are read at a time. */
  get width(): number {
    return this.#isSlow ? SLOW_WIDTH : WIDTH;
  }

  /** A whole turn was spent on looks at so many folders. */
  looked(folders: number): void {
    this.#isSlow ||= folders < FEW_FOLDERS;
  }

  /** Reads came to an end, or were given up, after so long. */
  read(ms: number): void {
    this.#isSlow = ms >= SLOW_MS;
  }
}

/** The time that one look has, in turns on the event loop. */
export class LookTime implements Disposable {
  readonly pace: Pace;
  readonly #now: () => number;
  readonly #ends: number;
  readonly #timeout: Promise<null>;
  #timer: NodeJS.Timeout | undefined;
  #turnEnds: number;

  /** `now` tells milliseconds from any point in time. */
  constructor(timeMs: number, now: () => number, pace: Pace) {
    this.#now = now;
    this.pace = pace;
    this.#ends = now() + timeMs;
    this.#turnEnds = now() + TURN_MS;
    this.#timeout = new Promise((resolve) => {
      this.#timer = setTimeout(resolve, timeMs, null);
    });
  }

  /** True when nothing more may be begun. */
  get isOver(): boolean {
    return this.#now() >= this.#ends;
  }

  /** True when others have waited long enough: then `pause`. */
  get isTurnOver(): boolean {
    return this.#now() >= this.#turnEnds;
  }

  /** Lets others on. */
  async pause(): Promise<void> {
    await othersTurn();
    this.#turnEnds = this.#now() + TURN_MS;
  }

  /** Begins reads, and gives what they come to; null when time was over before: they are not waited for then. */
  async within<Value>(begin: () => Promise<Value>): Promise<Value | null> {
    const began = this.#now();
    const value = await Promise.race([begin(), this.#timeout]);
    this.#turnEnds = this.#now() + TURN_MS;
    this.pace.read(this.#now() - began);
    return value;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
