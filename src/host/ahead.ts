import type { GatedPlan } from "../backend/plan.ts";
import { Launched, type LaunchOptions } from "./launched.ts";
import { procText } from "./proc-files.ts";

/** Calls that come sooner than this after the one before come at once, in milliseconds. */
const PAUSE_MS = 5;

/** So long one waits, in milliseconds: what it was handed, as a folder, can't be unmounted meanwhile. */
const MOST_MS = 60_000;

/** What waits in this process. However it ends without being disposed of, none is left, nor a cgroup of one. */
const allWaiting = new Set<Launched>();
const abandonAll = (): void => {
  for (const launched of allWaiting) launched.abandon();
};

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
  /** Ends the one that waits. */
  #end: NodeJS.Timeout | undefined;

  /** The launcher that waits, where it is what would be started for this plan now; else null. */
  take(plan: GatedPlan, options: LaunchOptions): Launched | null {
    clearTimeout(this.#pause);
    this.#isAtOnce = performance.now() - this.#overAt < PAUSE_MS;
    const waiting = this.#waiting;
    if (waiting === null || waiting.key !== keyOf(plan, options)) return null;
    const { launched, inherited } = waiting;
    const isFit = launched.isReady() && inherited === inheritance() && launched.hasInputsOf(plan);
    this.#letGo();
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
    const other = this.#letGo();
    this.#do(async () => {
      try {
        const inherited = inheritance();
        this.#keep({ key, inherited, launched: await Launched.start(plan, options) });
      } finally {
        this.#isAtWork = false;
        await other?.[Symbol.asyncDispose]();
      }
    });
  }

  /** Ends the one that waits. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#pause);
    await this.#work;
    await this.#letGo()?.[Symbol.asyncDispose]();
  }

  #keep(waiting: Waiting): void {
    const { launched } = waiting;
    launched.keepAlive(false);
    this.#waiting = waiting;
    this.#end = setTimeout(() => {
      this.#do(async () => {
        if (this.#waiting === waiting) await this.#letGo()?.[Symbol.asyncDispose]();
      });
    }, MOST_MS);
    this.#end.unref();
    if (allWaiting.size === 0) process.on("exit", abandonAll);
    allWaiting.add(launched);
  }

  /** The one that waited; it is whoever asks that uses or ends it. */
  #letGo(): Launched | null {
    clearTimeout(this.#end);
    const launched = this.#waiting?.launched ?? null;
    this.#waiting = null;
    if (launched !== null && allWaiting.delete(launched) && allWaiting.size === 0)
      process.off("exit", abandonAll);
    return launched;
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
  const { file, argv, gateFd, listenFd, sizesFd, launchers, tree } = plan;
  const inputs = plan.inputs.map((input) => ("bytes" in input ? { fd: input.fd } : input));
  return JSON.stringify([
    ...[file, argv, inputs, gateFd, listenFd, sizesFd, launchers, tree],
    ...[hasStdin, runAs, startedBy],
  ]);
}

/**
 * What a child has of this process, as that is by now (proc(5)): its mask for new files, its user, its rights, its limits, its
 * cgroups, how it is scheduled, and how soon it is ended for want of memory.
 */
function inheritance(): string {
  const [status = "", stat = "", ...others] = INHERITED_FILES.map((name) => textOf(`/proc/self/${name}`));
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Behind the name, of which the state is the third field: 19 is its nice value, 40 and 41 its priority and policy.
  return [...(status.match(INHERITED) ?? []), fields[16], fields[37], fields[38], ...others].join("\n");
}

const INHERITED_FILES = ["status", "stat", "limits", "cgroup", "oom_score_adj"] as const;
const INHERITED = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Cpus_allowed|Mems_allowed):.*$/gm;

/** Empty where this kernel has no such file. */
function textOf(file: string): string {
  try {
    return procText(file);
  } catch {
    return "";
  }
}
