import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Input, MountPlan } from "../../backend/plan.ts";
import { CofferdamError } from "../../errors.ts";
import type { Cgroup } from "./cgroup/cgroup.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import { endAll, endOf } from "./ending.ts";
import { HandedListener } from "./listener.ts";
import { openInputs, statsOfInput } from "./open-inputs.ts";
import { isOwnReady } from "./process-id.ts";
import { ProgramStreams } from "./program-streams.ts";
import { type LauncherChild, launch, type StartedBy } from "./spawn.ts";
import { writableAt } from "./streams.ts";
import { descriptorsFor, type Surroundings } from "./surroundings.ts";

/** Options of a launcher besides its plan. */
export interface LaunchOptions {
  readonly hasStdin: boolean;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  /** Makes a cgroup for the plan's bounds on the whole tree; a plan without bounds needs none. */
  readonly cgroups: Cgroups | null;
  /** The program that starts the launcher, if its mounts are to be its own: see `findPrivateMounts`. */
  readonly startedBy: StartedBy | null;
  readonly surroundings: Surroundings;
}

/** A launcher that waits for its options and builds nothing before. It owns its program's streams and its cgroup. */
export class SandboxProcess implements AsyncDisposable {
  readonly child: LauncherChild;
  readonly ended: Promise<number>;
  readonly streams: ProgramStreams;
  readonly cgroup: Cgroup | null;
  /** The socket handed out for the plan's way out; null if it has none. */
  readonly listener: HandedListener | null;
  readonly #plan: MountPlan;
  /** The host's files and folders that it was handed, `device:inode`, in the order of the plan's inputs. */
  readonly #handed: readonly string[];
  /** The plan's descriptors for files and folders: other inputs with bytes are written to a pipe. */
  readonly #opened: ReadonlySet<number>;
  #hasOptions = false;

  /**
   * Starts the launcher of a plan. Throws `SANDBOX_UNAVAILABLE`; `USAGE` for words longer than the kernel takes: 128
   * KiB each (execve(2), `MAX_ARG_STRLEN`); `FACTS_UNSTABLE` if a file differs from the planned one.
   */
  static async start(plan: MountPlan, options: LaunchOptions): Promise<SandboxProcess> {
    const { hasStdin, surroundings, runAs, cgroups } = options;
    const streams = await ProgramStreams.open(surroundings.pipes, {
      hasStdin,
      hasSizes: plan.sizesFd !== null,
      hasCover: surroundings.leaked.length > 0,
      owner: runAs,
    });
    let cgroup: Cgroup | null = null;
    try {
      cgroup = makeCgroup(plan, cgroups);
      return new SandboxProcess(plan, streams, cgroup, options);
    } catch (cause) {
      await cgroup?.[Symbol.asyncDispose]();
      streams[Symbol.dispose]();
      throw cause;
    }
  }

  private constructor(
    plan: MountPlan,
    streams: ProgramStreams,
    cgroup: Cgroup | null,
    { startedBy, surroundings, runAs }: LaunchOptions,
  ) {
    this.#plan = plan;
    this.streams = streams;
    this.cgroup = cgroup;
    try {
      using opened = openInputs(plan.inputs);
      this.#handed = idsOf(plan.inputs, opened.fds);
      this.#opened = new Set(opened.fds.keys());
      const ours = { doors: cgroup?.doors ?? [], inputs: opened.fds };
      const stdio = descriptorsFor(plan, streams.launchers, surroundings, ours);
      const [file, ...words] = [...(startedBy ?? []), plan.file];
      this.child = launch(file ?? plan.file, [...words, ...plan.argv], { stdio, runAs });
    } finally {
      streams.handOver();
      cgroup?.handOver();
    }
    this.ended = endOf(this.child);
    this.listener = plan.listenFd === null ? null : new HandedListener(this.child);
  }

  isReady(): boolean {
    const { pid, exitCode, signalCode } = this.child;
    return exitCode === null && signalCode === null && pid !== undefined && isOwnReady(pid);
  }

  /** True if it was handed the very files and folders that are at the plan's paths now. */
  hasInputsOf(plan: MountPlan): boolean {
    if (!haveSameBytes(this.#plan.inputs, plan.inputs)) return false;
    return idsAt(plan.inputs).join() === this.#handed.join();
  }

  /** Sends it the options to build: from here on it belongs to this plan. */
  sendOptions(plan: MountPlan): void {
    this.#hasOptions = true;
    for (const input of plan.inputs)
      if ("bytes" in input && !this.#opened.has(input.fd)) writableAt(this.child, input.fd).end(input.bytes);
  }

  keepAlive(isKept: boolean): void {
    const { stdin, sizes, stdout, stderr } = this.streams;
    this.listener?.keepAlive(isKept);
    const others = this.#hasOptions ? [] : [stdin, sizes, ...this.child.stdio];
    for (const one of [this.child, stdout, stderr, ...others.filter((other) => other instanceof Socket)]) {
      if (isKept) one.ref();
      else one.unref();
    }
  }

  /** For the exit of this process: ends a launcher that has no options, as far as that works at once. */
  abandon(): void {
    this.child.kill("SIGKILL");
    // No process was let in, so that the first try removes it.
    void this.cgroup?.[Symbol.asyncDispose]();
  }

  /** Ends it, and all that it has built: no process and no cgroup of it is left then. */
  async [Symbol.asyncDispose](): Promise<void> {
    // A launcher that waits for its options has built nothing yet: it can simply be killed.
    if (!this.#hasOptions) this.child.kill("SIGKILL");
    await endAll(this.child, this.#plan.launchers, writableAt(this.child, this.#plan.startFd), this.ended);
    await this.cgroup?.[Symbol.asyncDispose]();
    this.listener?.[Symbol.dispose]();
    this.streams[Symbol.dispose]();
  }
}

function makeCgroup({ tree }: MountPlan, cgroups: Cgroups | null): Cgroup | null {
  if (tree === null) return null;
  if (cgroups !== null) return cgroups.make(tree);
  throw new CofferdamError("SANDBOX_UNAVAILABLE", "no cgroup can be created for the limits of this call", {
    hint: "run `cofferdam doctor`: its row `limits` gives the reason",
  });
}

function idsOf(inputs: readonly Input[], fds: ReadonlyMap<number, number>): readonly string[] {
  return inputs
    .filter((input) => "folder" in input || "file" in input)
    .flatMap(({ fd: at }) => {
      const fd = fds.get(at);
      if (fd === undefined) return [];
      const { dev, ino } = fstatSync(fd, { bigint: true });
      return [`${at} ${dev}:${ino}`];
    });
}

/** The same for the entries at the paths now, without opening them; one that differs from the plan has none. */
function idsAt(inputs: readonly Input[]): readonly string[] {
  return inputs.flatMap((input) => {
    const stats = statsOfInput(input);
    return stats === null ? [] : [`${input.fd} ${stats.dev}:${stats.ino}`];
  });
}

/** True if the handed files of our own still have these bytes; inputs by a pipe are written later. */
function haveSameBytes(handed: readonly Input[], now: readonly Input[]): boolean {
  const [before, after] = [lastingIn(handed), lastingIn(now)];
  return (
    before.size === after.size &&
    [...before].every(([fd, bytes]) => Buffer.compare(bytes, after.get(fd) ?? NO_BYTES) === 0)
  );
}

const NO_BYTES = new Uint8Array();

function lastingIn(inputs: readonly Input[]): ReadonlyMap<number, Uint8Array> {
  return new Map(
    inputs.flatMap((input) =>
      "bytes" in input && input.isLasting === true ? [[input.fd, input.bytes]] : [],
    ),
  );
}
