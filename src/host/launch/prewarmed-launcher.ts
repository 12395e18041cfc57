import type { MountPlan } from "../../backend/plan.ts";
import { procText } from "../look/proc-files.ts";
import { orNull } from "../or-null.ts";
import { type LaunchOptions, SandboxProcess } from "./sandbox-process.ts";

/** Calls that follow the one before within this time count as consecutive, in milliseconds. */
const PAUSE_MS = 5;

/** Maximum of the wait of a launcher, in milliseconds: a folder that it was given can't be unmounted meanwhile. */
const MAX_MS = 60_000;

/** The waiting launchers of this process. They end with it, even without disposal, and so do their cgroups. */
const allWaiting = new Set<SandboxProcess>();
const abandonAll = (): void => {
  for (const launched of allWaiting) launched.abandon();
};

/**
 * A launcher that is started before its call, which then waits for no fork and no exec. Two calls in a row that start
 * their launchers alike have one made for a third. It waits for its options and has built nothing: if this process
 * ends, it reads their end, runs nothing, and ends.
 * It is started after a call while nothing else is done; if calls are consecutive, while a program runs. During the
 * building of a sandbox it would slow that as much as it saves.
 */
export class PrewarmedLauncher implements AsyncDisposable {
  #last = "";
  #waiting: Waiting | null = null;
  #work: Promise<void> = Promise.resolve();
  #isAtWork = false;
  #isDisposed = false;
  /** The end of the last call, by `performance.now()`, and whether one followed it at once. */
  #overAt = 0;
  #isAtOnce = false;
  /** Work for the next pause. */
  #inPause: (() => void) | null = null;
  #pause: NodeJS.Timeout | undefined;
  #end: NodeJS.Timeout | undefined;

  /** The waiting launcher, if this plan would start the same one now; else null. */
  take(plan: MountPlan, options: LaunchOptions): SandboxProcess | null {
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
   * Starts the next launcher once a program runs, if the last call's was started alike; perhaps in a pause. Never
   * throws.
   */
  prepare(plan: MountPlan, options: LaunchOptions): void {
    const key = keyOf(plan, options);
    const isInARow = key === this.#last;
    this.#last = key;
    if (!isInARow || this.#isDisposed) return;
    const start = (): void => this.#prepare(key, plan, options);
    if (this.#isAtOnce) setImmediate(start);
    else this.#inPause = start;
  }

  rest(): void {
    this.#overAt = performance.now();
    const start = this.#inPause;
    this.#inPause = null;
    if (start === null) return;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(start, PAUSE_MS);
    this.#pause.unref();
  }

  #prepare(key: string, plan: MountPlan, options: LaunchOptions): void {
    if (this.#isAtWork || this.#isDisposed || this.#waiting?.key === key) return;
    this.#isAtWork = true;
    const other = this.#letGo();
    this.#do(async () => {
      try {
        const inherited = inheritance();
        this.#keep({ key, inherited, launched: await SandboxProcess.start(plan, options) });
      } finally {
        this.#isAtWork = false;
        await other?.[Symbol.asyncDispose]();
      }
    });
  }

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
    }, MAX_MS);
    this.#end.unref();
    if (allWaiting.size === 0) process.on("exit", abandonAll);
    allWaiting.add(launched);
  }

  /** Hands over the waiting launcher; the caller uses or ends it. */
  #letGo(): SandboxProcess | null {
    clearTimeout(this.#end);
    const launched = this.#waiting?.launched ?? null;
    this.#waiting = null;
    if (launched !== null && allWaiting.delete(launched) && allWaiting.size === 0)
      process.off("exit", abandonAll);
    return launched;
  }

  /** Drops errors: the call that then starts its own launcher meets them. */
  #do(work: () => Promise<void>): void {
    this.#work = Promise.all([this.#work, work().catch(() => undefined)]).then(() => undefined);
  }
}

interface Waiting {
  readonly key: string;
  readonly inherited: string;
  readonly launched: SandboxProcess;
}

/** Every input of a launcher's start, except those that are sent later. */
function keyOf(plan: MountPlan, { hasStdin, runAs, startedBy }: LaunchOptions): string {
  const { file, argv, startFd, listenFd, sizesFd, launchers, tree } = plan;
  const inputs = plan.inputs.map((input) => ("bytes" in input ? { fd: input.fd } : input));
  return JSON.stringify([
    ...[file, argv, inputs, startFd, listenFd, sizesFd, launchers, tree],
    ...[hasStdin, runAs, startedBy],
  ]);
}

/** The state that a child inherits now (proc(5)): umask, user, rights, limits, cgroups, scheduling, OOM score. */
function inheritance(): string {
  const texts = INHERITED_FILES.map((name) => orNull(() => procText(`/proc/self/${name}`)) ?? "");
  const [status = "", stat = "", ...others] = texts;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // After the name, the state is the third field: 19 is the nice value, 40 and 41 the priority and policy.
  return [...(status.match(INHERITED) ?? []), fields[16], fields[37], fields[38], ...others].join("\n");
}

const INHERITED_FILES = ["status", "stat", "limits", "cgroup", "oom_score_adj"] as const;
const INHERITED = /^(?:Umask|Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp|Cpus_allowed|Mems_allowed):.*$/gm;
