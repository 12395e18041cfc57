import { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { RulePlan } from "../../../backend/plan.ts";
import { CALL_PARAMETERS, START_FD, START_VARIABLES } from "../../../backend/seatbelt/start-program.ts";
import { CofferdamError } from "../../../errors.ts";
import { pause } from "../../pause.ts";
import { untilDelivered } from "../delivery.ts";
import { withoutInherited } from "../inherited.ts";
import { Capture, type Captured, MAX_KEPT } from "../output.ts";
import type { PlanRunOptions } from "../run-options.ts";
import { type LauncherChild, launch } from "../spawn.ts";
import { StartError, TwoVoices } from "../streams.ts";
import type { CallFolder } from "./call-folder.ts";
import { type Explained, explainEarlyEnd } from "./explain-start.ts";
import type { RuleGround } from "./ground.ts";
import { StartProgramChannel } from "./start-program-channel.ts";

/** Time limit for a launcher that hung up to end, in milliseconds. */
const GRACE_MS = 1_000;

/** Time limit for the killer inside to end everything, in milliseconds. */
const MAX_MS = 60_000;

/** A started launcher of rules: its start program checks the sandbox, reports the result, and waits. */
export class LaunchedRules implements AsyncDisposable {
  readonly child: LauncherChild;
  readonly talk: StartProgramChannel;
  /** Resolves when the start program has ended; the launcher became the start program by exec. */
  readonly exited: Promise<void>;
  readonly #captures: readonly [Capture, Capture];
  readonly #startError = new StartError();
  readonly #voices = new TwoVoices(this.#startError);
  #isOver = false;

  /** Throws `SANDBOX_UNAVAILABLE` if the launcher can't be started. */
  constructor(plan: RulePlan, folder: CallFolder, ground: RuleGround, options: PlanRunOptions) {
    this.child = start(plan, folder, ground, options);
    this.exited = new Promise((resolve) => {
      this.child.once("exit", () => resolve());
    });
    this.child.on("error", () => undefined);
    const { outputBytes, sinks } = options;
    const bytes = outputBytes ?? (sinks === null ? MAX_KEPT : Number.POSITIVE_INFINITY);
    this.#captures = [
      new Capture(socketOf(this.child.stdout), bytes, sinks?.stdout ?? null),
      new Capture(socketOf(this.child.stderr), bytes, sinks?.stderr ?? null, this.#voices.aside),
    ];
    this.child.stdin?.on("error", () => undefined);
    const socket = this.child.stdio[START_FD];
    if (!(socket instanceof Duplex))
      throw new CofferdamError("INTERNAL", "the start program has no connection");
    this.talk = new StartProgramChannel(socket);
  }

  /** From now on the output is the program's. */
  open(): void {
    this.#voices.open();
  }

  async explainEnd(): Promise<Explained> {
    const timer = setTimeout(() => this.child.kill("SIGKILL"), GRACE_MS);
    await this.exited;
    clearTimeout(timer);
    await untilDelivered(this.#captures, null);
    const { exitCode: code, signalCode: signal } = this.child;
    return explainEarlyEnd({ code, signal, stderr: this.#voices.setupText() });
  }

  /** See `Ended.notStarted`. */
  notStarted(): string | null {
    return this.#startError.reason();
  }

  /** Waits until all output of the program was read and delivered, after everything has ended. */
  async delivered(
    signal: AbortSignal | null,
  ): Promise<{ readonly stdout: Captured; readonly stderr: Captured }> {
    const [stdout, stderr] = await untilDelivered(this.#captures, signal);
    return { stdout, stderr };
  }

  /** Ends the start program after all others; kills it after a limit: after a hang-up it has work to finish. */
  async end(): Promise<void> {
    this.talk.end();
    await this.#untilExited(this.talk.isOpen ? GRACE_MS : MAX_MS);
    this.#isOver = true;
  }

  /** Sends the signal to the program and the rest of its process group. The start program does not end from it. */
  ask(name: NodeJS.Signals): void {
    this.#signalGroup(name);
  }

  /** Sets whether this process stays alive as long as the launcher, which is the default. */
  keepAlive(isKept: boolean): void {
    for (const one of [this.child, ...this.child.stdio]) {
      if (one !== this.child && !(one instanceof Socket)) continue;
      if (isKept) one.ref();
      else one.unref();
    }
  }

  /** Before the program starts nothing can be left over; from then on the killer inside ends everything first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.talk.hangUp();
    if (!this.#isOver) {
      if (!this.talk.isLetGo) this.#signalGroup("SIGKILL");
      await this.#untilExited(this.talk.isLetGo ? MAX_MS : GRACE_MS);
      if (!this.talk.isLetGo) await this.#untilGroupIsEmpty();
    }
    for (const stream of this.child.stdio) stream?.destroy();
  }

  async #untilExited(graceMs = GRACE_MS): Promise<void> {
    const timer = setTimeout(() => this.#signalGroup("SIGKILL"), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  /** Processes killed with the launcher may still be ending. One that is never collected is not waited for. */
  async #untilGroupIsEmpty(): Promise<void> {
    const { pid } = this.child;
    const until = performance.now() + GRACE_MS;
    while (pid !== undefined && isGroup(pid) && performance.now() < until) await pause(5);
  }

  #signalGroup(name: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    try {
      process.kill(-pid, name);
    } catch {
      // It is not a group leader yet, or has ended: its own end is waited for.
      this.child.kill(name);
    }
  }
}

function isGroup(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Inherited descriptors of this process are covered: the start program receives their numbers. */
function start(
  plan: RulePlan,
  folder: CallFolder,
  ground: RuleGround,
  options: PlanRunOptions,
): LauncherChild {
  const { stdin, runAs } = options;
  const parameters = {
    ...plan.rules.parameters,
    [CALL_PARAMETERS.folder]: folder.path,
    [CALL_PARAMETERS.given]: folder.place("given"),
    [CALL_PARAMETERS.home]: folder.place("home"),
    [CALL_PARAMETERS.temporary]: folder.place("temporary"),
  };
  const defined = Object.entries(parameters).flatMap(([name, value]) => ["-D", `${name}=${value}`]);
  const words = ["-f", folder.place("rules"), ...defined, "--", ...folder.wordsOf(plan.argv)];
  return withoutInherited((others) => {
    const covered = others.flatMap((kind, at) => (typeof kind === "number" && at > 0 ? [at + START_FD] : []));
    const env = {
      ...plan.environment,
      [START_VARIABLES.folder]: folder.path,
      [START_VARIABLES.cwd]: plan.cwd,
      [START_VARIABLES.outside]: String(ground.outsider.pid()),
      [START_VARIABLES.covered]: ` ${covered.join(" ")} `,
      [START_VARIABLES.names]: ` ${Object.keys(plan.environment).join(" ")} `,
    };
    const stdio = [stdin === null ? "ignore" : "pipe", "pipe", "pipe", "pipe", ...others.slice(1)] as const;
    return launch(plan.file, words, { stdio: [...stdio], runAs, env });
  }, runAs !== null);
}

function socketOf(stream: unknown): Socket {
  if (stream instanceof Socket) return stream;
  throw new CofferdamError("INTERNAL", "an output of the launcher can't be read");
}
