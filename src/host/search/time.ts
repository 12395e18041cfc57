import { setImmediate as othersTurn } from "node:timers/promises";

/** How long the search may hold the event loop before it lets others on. */
const TURN_MS = 8;

/**
 * So many folders are read at a time: enough to keep the pool of threads busy while names are compared here. Where the
 * disk is slow, so few that the pool (four threads, unless UV_THREADPOOL_SIZE says otherwise) has room for others.
 */
const WIDTH = 64;
const SLOW_WIDTH = 2;

/**
 * Looks for progress while reads are waited for. Each tick is a turn of the event loop, in which answers are taken as well: a process
 * that was stopped, or that did something else, has none meanwhile, however late it is by the clock.
 */
const TICKS_OF_SILENCE = 30;

/**
 * While reads are waited for, other work of this process has the processor as well: the search answers for no more than this for each
 * name that came. A name takes 1 to 3 µs.
 */
const MOST_MS_PER_NAME = 0.02;

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

/** How much one look may take. */
export interface TimeBounds {
  /** Milliseconds of processor time of this thread. */
  readonly workMs: number;
  /** Milliseconds in which nothing comes of any read that is waited for. */
  readonly silenceMs: number;
}

/** Both in milliseconds from any point: `now` of the clock, `work` of processor time that this thread has had. */
export interface Clocks {
  readonly now: () => number;
  readonly work: () => number;
}

/**
 * The processor time that one look has, in turns on the event loop. The clock bounds nothing: on a busy machine it runs on while
 * other processes have the processor.
 */
export class LookTime implements Disposable {
  readonly pace: Pace;
  readonly #clocks: Clocks;
  readonly #bounds: TimeBounds;
  #tick: NodeJS.Timeout | undefined;
  #turnBegan: number;
  #workBefore: number;
  #spentMs = 0;

  constructor(bounds: TimeBounds, clocks: Clocks, pace: Pace) {
    this.#bounds = bounds;
    this.#clocks = clocks;
    this.pace = pace;
    this.#turnBegan = clocks.now();
    this.#workBefore = clocks.work();
  }

  /** True when nothing more may be begun. Turns are short, so those that are over count. */
  get isOver(): boolean {
    return this.#spentMs >= this.#bounds.workMs;
  }

  /** True when others have waited long enough: then `pause`. */
  get isTurnOver(): boolean {
    return this.#clocks.now() >= this.#turnBegan + TURN_MS;
  }

  /** Lets others on. */
  async pause(): Promise<void> {
    this.#endTurn();
    await othersTurn();
    this.#beginTurn();
  }

  /**
   * Begins reads, and gives what they come to; null when nothing came for too long: they are not waited for then. `names` tells how many
   * names came so far, `progress` grows with each read that ended as well.
   */
  async within<Value>(begin: () => Promise<Value>, { names, progress }: Coming): Promise<Value | null> {
    this.#endTurn();
    const [began, before] = [this.#clocks.now(), names()];
    this.#beginTurn();
    const value = await Promise.race([begin(), this.#silence(progress)]);
    clearInterval(this.#tick);
    this.#endTurn((names() - before) * MOST_MS_PER_NAME);
    this.#beginTurn();
    this.pace.read(this.#clocks.now() - began);
    return value;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#tick);
  }

  #beginTurn(): void {
    this.#turnBegan = this.#clocks.now();
    this.#workBefore = this.#clocks.work();
  }

  /** Ends a turn: its processor time counts, but no more than `mostMs`, which is the turn's time by the clock where nothing is said. */
  #endTurn(mostMs = this.#clocks.now() - this.#turnBegan): void {
    this.#spentMs += Math.min(mostMs, this.#clocks.work() - this.#workBefore);
  }

  #silence(progress: () => number): Promise<null> {
    let [ticks, before] = [0, progress()];
    return new Promise((resolve) => {
      this.#tick = setInterval(() => {
        const now = progress();
        ticks = now === before ? ticks + 1 : 0;
        before = now;
        if (ticks >= TICKS_OF_SILENCE) resolve(null);
      }, this.#bounds.silenceMs / TICKS_OF_SILENCE);
    });
  }
}

/** What comes of reads, so far. */
export interface Coming {
  readonly names: () => number;
  readonly progress: () => number;
}

/** The processor time of this thread so far, in milliseconds; of the whole process where Node can't tell (before 23.9). */
export function workMs(): number {
  const node: Partial<Pick<NodeJS.Process, "threadCpuUsage">> = process;
  const { user, system } = node.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
