import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { RulePlan } from "../../backend/plan.ts";
import { CALL_PARAMETERS, GATE_FD, GATE_VARIABLES } from "../../backend/seatbelt/gate.ts";
import { CofferdamError } from "../../errors.ts";
import { untilDelivered } from "../delivery.ts";
import { withoutInherited } from "../inherited.ts";
import { Capture, type Captured, MOST_KEPT } from "../output.ts";
import type { RunOptions } from "../run-options.ts";
import { type Child, launch } from "../spawn.ts";
import { GateWord, TwoVoices } from "../streams.ts";
import type { CallFolder } from "./call-folder.ts";
import { type Explained, explainEarlyEnd } from "./explain-start.ts";
import { GateTalk } from "./gate-talk.ts";
import type { RuleGround } from "./ground.ts";

/** How long a launcher that hung up may take to end, in milliseconds. */
const GRACE_MS = 1_000;

/** How long what kills inside may take to end everything, in milliseconds. */
const MOST_MS = 60_000;

/** A launcher of rules that was started: its gate tries the walls, says how they stand, and waits. */
export class LaunchedRules implements AsyncDisposable {
  readonly child: Child;
  readonly talk: GateTalk;
  /** Resolves when the gate, which the launcher became, has ended. */
  readonly exited: Promise<void>;
  readonly #captures: readonly [Capture, Capture];
  readonly #gateWord = new GateWord();
  readonly #voices = new TwoVoices(this.#gateWord);
  #isOver = false;

  /** Throws `SANDBOX_UNAVAILABLE` when it can't be started. */
  constructor(plan: RulePlan, folder: CallFolder, ground: RuleGround, options: RunOptions) {
    this.child = start(plan, folder, ground, options);
    this.exited = new Promise((resolve) => {
      this.child.once("exit", () => resolve());
    });
    this.child.on("error", () => undefined);
    const { outputBytes, sinks } = options;
    const bytes = outputBytes ?? (sinks === null ? MOST_KEPT : Number.POSITIVE_INFINITY);
    this.#captures = [
      new Capture(socketOf(this.child.stdout), bytes, sinks?.stdout ?? null),
      new Capture(socketOf(this.child.stderr), bytes, sinks?.stderr ?? null, this.#voices.aside),
    ];
    this.child.stdin?.on("error", () => undefined);
    const gate = this.child.stdio[GATE_FD];
    if (!(gate instanceof Duplex)) throw new CofferdamError("INTERNAL", "nobody can talk with the gate");
    this.talk = new GateTalk(gate);
  }

  /** From here on it is the program that speaks. */
  open(): void {
    this.#voices.open();
  }

  /** Why it ended before it said anything. */
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
    return this.#gateWord.reason();
  }

  /** Waits until all that the program said was read and handed on, once everything has ended. */
  async delivered(
    signal: AbortSignal | null,
  ): Promise<{ readonly stdout: Captured; readonly stderr: Captured }> {
    const [stdout, stderr] = await untilDelivered(this.#captures, signal);
    return { stdout, stderr };
  }

  /** Has the gate end, whose program and all else have ended; at once where it does not. One that was hung up on has work. */
  async end(): Promise<void> {
    this.talk.end();
    await this.#untilExited(this.talk.isOpen ? GRACE_MS : MOST_MS);
    this.#isOver = true;
  }

  /** Asks the program, and whatever shares its process group, to end. The gate does not. */
  ask(name: NodeJS.Signals): void {
    this.#signalGroup(name);
  }

  /** Whether this process goes on for as long as the launcher does, as it does at first. */
  keepAlive(isKept: boolean): void {
    for (const one of [this.child, ...this.child.stdio]) {
      if (one !== this.child && !(one instanceof Socket)) continue;
      if (isKept) one.ref();
      else one.unref();
    }
  }

  /** Before go nothing was built that could be left; from then on what kills inside ends all of it first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.talk.hangUp();
    if (!this.#isOver) {
      if (!this.talk.isLetGo) this.#signalGroup("SIGKILL");
      await this.#untilExited(this.talk.isLetGo ? MOST_MS : GRACE_MS);
      if (!this.talk.isLetGo) await this.#untilGroupIsEmpty();
    }
    for (const stream of this.child.stdio) stream?.destroy();
  }

  async #untilExited(graceMs = GRACE_MS): Promise<void> {
    const timer = setTimeout(() => this.#signalGroup("SIGKILL"), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  /** What was killed with the launcher may be in the midst of ending; nobody waits for what has ended and is never collected. */
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
      // It has not become a group's leader yet, or has ended: its own end is waited for.
      this.child.kill(name);
    }
  }
}

/** Whether a process group of that number has a process. */
function isGroup(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** What this process inherited is covered: the gate is told which numbers those are. */
function start(plan: RulePlan, folder: CallFolder, ground: RuleGround, options: RunOptions): Child {
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
  try {
    return withoutInherited((others) => {
      const covered = others.flatMap((kind, at) =>
        typeof kind === "number" && at > 0 ? [at + GATE_FD] : [],
      );
      const env = {
        ...plan.environment,
        [GATE_VARIABLES.folder]: folder.path,
        [GATE_VARIABLES.cwd]: plan.cwd,
        [GATE_VARIABLES.outside]: String(ground.outsider.pid()),
        [GATE_VARIABLES.covered]: ` ${covered.join(" ")} `,
        [GATE_VARIABLES.names]: ` ${Object.keys(plan.environment).join(" ")} `,
      };
      const stdio = [stdin === null ? "ignore" : "pipe", "pipe", "pipe", "pipe", ...others.slice(1)] as const;
      return launch(plan.file, words, { stdio: [...stdio], runAs, env });
    }, runAs !== null);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "E2BIG")) throw cause;
    throw new CofferdamError("USAGE", "the words of the call are too long to be started with", {
      hint: "hand the data in by a file or by standard input",
      cause,
    });
  }
}

function socketOf(stream: unknown): Socket {
  if (stream instanceof Socket) return stream;
  throw new CofferdamError("INTERNAL", "an output of the launcher can't be read");
}
