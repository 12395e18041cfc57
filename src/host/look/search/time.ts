import { setImmediate as othersTurn } from "node:timers/promises";

const TURN_MS = 8;

/**
 * Number of folders read at a time: enough to keep the pool of threads busy while names are compared here. On a slow
 * disk few enough that the pool (four threads, unless UV_THREADPOOL_SIZE says otherwise) has room for others.
 */
const WIDTH = 64;
const SLOW_WIDTH = 2;

/**
 * Number of looks for progress during silent reads. Each tick is a turn of the event loop, in which answers are taken
 * as well: a process that was stopped, or was busy, has no ticks meanwhile, however late it is by the clock.
 */
const TICKS_OF_SILENCE = 30;

/**
 * Maximum of processor time for each name that came. While reads are waited for, other work of this process has the
 * processor as well. A name takes 1 to 3 µs.
 */
const MAX_MS_PER_NAME = 0.02;

/** A disk is slow if that many reads at a time take this long, or if that few folders are looked at in one turn. */
const SLOW_MS = 100;
const FEW_FOLDERS = 16;

/** Measures whether the disk was slow the last time it was used. */
export class Pace {
  #isSlow = false;

  /** If true, even looks at folders are left to the pool: they would hold the event loop. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  get width(): number {
    return this.#isSlow ? SLOW_WIDTH : WIDTH;
  }

  looked(folders: number): void {
    this.#isSlow ||= folders < FEW_FOLDERS;
  }

  read(ms: number): void {
    this.#isSlow = ms >= SLOW_MS;
  }
}

/** Maximum of time that one look may take. */
export interface TimeBounds {
  /** Milliseconds of processor time of this thread. */
  readonly workMs: number;
  /** Milliseconds without an answer of any pending read. */
  readonly silenceMs: number;
}

/** Both in milliseconds from any point: `now` of the clock, `work` of processor time that this thread has had. */
export interface Clocks {
  readonly now: () => number;
  readonly work: () => number;
}

/** The processor time of one look, in turns. The clock bounds nothing: other processes may have the processor. */
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

  /** True if nothing more may begin. Turns are short, so only those that are over count. */
  get isOver(): boolean {
    return this.#spentMs >= this.#bounds.workMs;
  }

  /** True if other work has waited long enough: then `pause`. */
  get isTurnOver(): boolean {
    return this.#clocks.now() >= this.#turnBegan + TURN_MS;
  }

  async pause(): Promise<void> {
    this.#endTurn();
    await othersTurn();
    this.#beginTurn();
  }

  /**
   * Begins reads, and returns their results; null if nothing came for too long: then they are not waited for. `names`
   * returns the number of names so far; `progress` also grows with each read that ended.
   */
  async within<Value>(begin: () => Promise<Value>, { names, progress }: Coming): Promise<Value | null> {
    this.#endTurn();
    const [began, before] = [this.#clocks.now(), names()];
    this.#beginTurn();
    const value = await Promise.race([begin(), this.#silence(progress)]);
    clearInterval(this.#tick);
    this.#endTurn((names() - before) * MAX_MS_PER_NAME);
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

  /** Ends a turn: its processor time counts, up to `maxMs`, by default the turn's time by the clock. */
  #endTurn(maxMs = this.#clocks.now() - this.#turnBegan): void {
    this.#spentMs += Math.min(maxMs, this.#clocks.work() - this.#workBefore);
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

/** The progress of reads. */
export interface Coming {
  readonly names: () => number;
  readonly progress: () => number;
}

/** The processor time of this thread so far, in milliseconds; of the whole process if Node can't tell (before 23.9). */
export function workMs(): number {
  const node: Partial<Pick<NodeJS.Process, "threadCpuUsage">> = process;
  const { user, system } = node.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}
