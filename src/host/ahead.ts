import { readFileSync } from "node:fs";
import type { GatedPlan } from "../backend/plan.ts";
import { Launched, type LaunchOptions } from "./launched.ts";

/** A fork while walls are built or a program runs takes as much from those as it would save. */
const PAUSE_MS = 5;

/**
 * A launcher that is started before the call that it is for: the call then waits for no fork and no exec. Two calls in a
 * row that start their launchers alike have one made for a third; it waits for its options, has built nothing and knows of
 * no program. When this process ends, however that happens, it reads the end of its options and has nothing to show the
 * program that it is to start: nothing runs, and it ends.
 */
export class LauncherAhead implements AsyncDisposable {
  /** How the last launcher was started. */
  #last = "";
  #waiting: Waiting | null = null;
  /** What is being started or ended. */
  #work: Promise<void> = Promise.resolve();
  #isAtWork = false;
  #isDisposed = false;
  /** Until nothing else is done. */
  #pause: NodeJS.Timeout | undefined;

  /** The launcher that waits, where it is what would be started for this plan now; else null. */
  take(plan: GatedPlan, options: LaunchOptions): Launched | null {
    clearTimeout(this.#pause);
    const waiting = this.#waiting;
    if (waiting === null || waiting.key !== keyOf(plan, options)) return null;
    this.#waiting = null;
    const { launched } = waiting;
    if (launched.isRunning && waiting.inherited === inheritance() && launched.hasInputsOf(plan)) {
      launched.keepAlive(true);
      return launched;
    }
    this.#do(() => launched[Symbol.asyncDispose]());
    return null;
  }

  /**
   * A call that was started like this is over: when this process has paused for some milliseconds the next one is started,
   * where the call before was like this too. Never throws.
   */
  prepare(plan: GatedPlan, options: LaunchOptions): void {
    const key = keyOf(plan, options);
    const isInARow = key === this.#last;
    this.#last = key;
    if (!isInARow || this.#isDisposed || this.#waiting?.key === key) return;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#prepare(key, plan, options), PAUSE_MS);
    this.#pause.unref();
  }

  #prepare(key: string, plan: GatedPlan, options: LaunchOptions): void {
    if (this.#isAtWork) return;
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
