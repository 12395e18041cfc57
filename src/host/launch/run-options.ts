import type { Server, Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Protection } from "../../backend/plan.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { ReachedBounds } from "./cgroup/cgroup.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import type { Cause, EndOptions } from "./ending.ts";
import type { Violation } from "./mac/violation.ts";
import type { Captured, OutputSink } from "./output.ts";
import type { PrewarmedLauncher } from "./prewarmed-launcher.ts";
import type { ProcessId } from "./process-id.ts";
import type { Discrepancy } from "./proof.ts";
import type { SpaceLeft } from "./scratch-space.ts";
import type { StartedBy } from "./spawn.ts";
import type { Surroundings } from "./surroundings.ts";
import type { TerminalWindow } from "./window.ts";

/** Options of one run of a plan: input, bounds, output, and reasons for an early end. */
export interface PlanRunOptions extends Omit<EndOptions, "hasTerminal"> {
  /**
   * The program's input, or none. It is passed on piece by piece: a descriptor of ours could be opened again inside.
   * `held`: the receiver of the running sandbox writes to it.
   */
  readonly stdin: Readable | "held" | null;
  /** For each of stdout and stderr; null: all of it goes to sinks, and 64 MiB are kept without. */
  readonly outputBytes: number | null;
  readonly sinks: { readonly stdout: OutputSink; readonly stderr: OutputSink } | null;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  readonly cgroups?: Cgroups | null;
  /** The window of the program's terminal, if the plan gives it one; without a window it stays unseen. */
  readonly window?: TerminalWindow | null;
  readonly startedBy?: StartedBy | null;
  /** A launcher that may wait already; the next one is started meanwhile. */
  readonly ahead?: PrewarmedLauncher | null;
  /** The supervisor's own namespaces and inherited descriptors. */
  readonly surroundings: Surroundings;
  readonly egress?: WayOut | null;
  readonly wayIn?: WayIn | null;
  /** If true, the program is ended within a quarter of a second after a hidden path becomes readable. */
  readonly endsUncovered?: boolean;
  /** Called when the proof holds, right before the program may start. */
  readonly onProven: ((sandbox: RunningSandbox) => void) | null;
}

/** The target of a call's connections: a secret for the program alone, and a server. */
export interface WayOut {
  /** The password of the call's own, for the egress proxy: letters, digits, `-` and `_`. */
  readonly secret: string;
  /** Takes connections to a listener in the call's own network, until that is closed. */
  serve(listener: Server): void;
}

/** The source of connections from this machine to a call's servers. */
export interface WayIn {
  /** From here on each is joined with one that is made inside; null if no server listens there. */
  open(connect: (port: number) => Promise<Socket | null>): void;
}

/** A proven sandbox, for as long as the program runs. */
export interface RunningSandbox {
  /** Mounts that were lost, or arrived, since the proof. */
  readonly changes: () => readonly Discrepancy[];
  /** The sandbox's first process: when it has ended, all others have. */
  readonly init: ProcessId;
  /** The program's input, if it is held. */
  readonly input: Writable | null;
  /** False as soon as the sandbox's first process has ended, before this process gets the event. */
  readonly isRunning: () => boolean;
  /** Sets whether this process goes on for as long as the program does, as it does at first. */
  readonly keepAlive: (isKept: boolean) => void;
}

/** The end of a program. `code` is its own status, 128+n after signal n. */
export interface Ended {
  readonly cause: Cause;
  readonly code: number;
  readonly stdout: Captured;
  readonly stderr: Captured;
  /** Mounts that were lost, or arrived, while the program ran. */
  readonly mountChanges: readonly Discrepancy[];
  /** The bounds on the whole tree that it reached; null if no cgroup was there at the end. */
  readonly reached: ReachedBounds;
  /** Hidden paths that could be read meanwhile. That ended the program, unless it ended by itself first. */
  readonly uncovered: readonly AbsolutePath[];
  /** Protected paths that were writable at the end: something on the host took their mounts off. */
  readonly unprotected: readonly AbsolutePath[];
  /** Refusals to a failed program in the kernel's log, which may be incomplete. */
  readonly refused?: readonly Violation[];
  /** The fill level of the scratch space after a program had failed. */
  readonly spaceLeft?: readonly SpaceLeft[];
  /** The reason why the program itself did not start, in the C library's words; null or left out if it did. */
  readonly notStarted?: string | null;
  /** Protections that did not hold to the end, if reported otherwise than by mounts. */
  readonly shortcomings?: readonly Shortcoming[];
}

/** A protection that did not hold whole, and why. */
export interface Shortcoming {
  readonly protection: Protection;
  readonly reason: string;
}

/** Milliseconds for building a sandbox. */
export const SETUP_MS = 20_000;
