import { readFileSync } from "node:fs";
import type { GatedPlan } from "../backend/plan.ts";
import { Launched, type LaunchOptions } from "./launched.ts";

/** Calls that come sooner than this after the one before come at once, in milliseconds. */
const PAUSE_MS = 5;

/**
 * A launcher that is started before the call that it is for: the call then waits for no fork and no exec. Two calls in a
 * row that start their launchers alike have one made for a third; it waits for its options, has built nothing and knows of
 * no program. When this process ends, however that happens, it reads the end of its options and has nothing to show the
 * program that it is to start: nothing runs, and it ends.
 * It is started while nothing else is done, after a call; where calls come at once, while the program of one runs. While
 * walls are built it would take as much from those as it saves.
 */
export class LauncherAhead implements AsyncDisposable {
  /** How the last launcher was started. */
  #last = "";
  #waiting: Waiting | null = null;
  /** What is being started or ended. */
  #work: Promise<void> = Promise.resolve();
  #isAtWork = false;
  #isDisposed = false;
  /** When the last call was over, by `performance.now()`, and whether one came at once after that. */
  #overAt = 0;
  #isAtOnce = false;
  /** What is done in the next pause, and until that has come. */
  #inPause: (() => void) | null = null;
  #pause: NodeJS.Timeout | undefined;

  /**
   * The launcher that waits, where it is what would be started for this plan now; else null. Throws what starting one would
   * throw: `FACTS_UNSTABLE` where a file is no longer what was planned with.
   */
  take(plan: GatedPlan, options: LaunchOptions): Launched | null {
    clearTimeout(this.#pause);
    this.#isAtOnce = performance.now() - this.#overAt < PAUSE_MS;
    const waiting = this.#waiting;
    if (waiting === null || waiting.key !== keyOf(plan, options)) return null;
    const { launched, inherited } = waiting;
    const isFit = launched.isRunning() && inherited === inheritance() && launched.hasInputsOf(plan);
    this.#waiting = null;
    if (!isFit) {
      this.#do(() => launched[Symbol.asyncDispose]());
      return null;
    }
    launched.keepAlive(true);
    return launched;
  }

  /**
   * The program of a call that was started like this runs: the next one is started, where the call before was like this too,
   * now or in a pause. Never throws.
   */
  prepare(plan: GatedPlan, options: LaunchOptions): void {
    const key = keyOf(plan, options);
    const isInARow = key === this.#last;
    this.#last = key;
    if (!isInARow || this.#isDisposed) return;
    const start = (): void => this.#prepare(key, plan, options);
    if (this.#isAtOnce) setImmediate(start);
    else this.#inPause = start;
  }

  /** A call is over. */
  rest(): void {
    this.#overAt = performance.now();
    const start = this.#inPause;
    this.#inPause = null;
    if (start === null) return;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(start, PAUSE_MS);
    this.#pause.unref();
  }

  #prepare(key: string, plan: GatedPlan, options: LaunchOptions): void {
    if (this.#isAtWork || this.#isDisposed || this.#waiting?.key === key) return;
    this.#isAtWork = true;
    const other = this.#waiting;
    this.#waiting = null;
    this.#do(async () => {
      try {
        const inherited = inheritance();
        const launched = await Launched.start(plan, options);
        launched.keepAlive(false);
        this.#waiting = { key, inherited, launched };
      } finally {
        this.#isAtWork = false;
        await other?.launched[Symbol.asyncDispose]();
      }
    });
  }

  /** Ends the one that waits. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#pause);
    await this.#work;
    await this.#waiting?.launched[Symbol.asyncDispose]();
    this.#waiting = null;
  }

  /** What goes wrong is told to the call that then starts its own. */
  #do(work: () => Promise<void>): void {
    this.#work = Promise.all([this.#work, work().catch(() => undefined)]).then(() => undefined);
  }
}

interface Waiting {
  readonly key: string;
  readonly inherited: string;
  readonly launched: Launched;
}

/** All that a launcher is started with, but what it is told later. */
function keyOf(plan: GatedPlan, { hasStdin, runAs, startedBy }: LaunchOptions): string {
  const { file, argv, gateFd, sizesFd, launchers, tree } = plan;
  const inputs = plan.inputs.map((input) => ("bytes" in input ? { fd: input.fd } : input));
  return JSON.stringify([
    ...[file, argv, inputs, gateFd, sizesFd, launchers, tree],
    ...[hasStdin, runAs, startedBy],
  ]);
}

/** What a child has of this process, whoever that is by now: its mask for new files, its user, its rights (proc(5)). */
function inheritance(): string {
  const status = readFileSync("/proc/self/status", "latin1");
  return (status.match(INHERITED) ?? []).join("\n");
}

const INHERITED = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Cpus_allowed|Mems_allowed):.*$/gm;
