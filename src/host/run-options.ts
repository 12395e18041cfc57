import type { Server, Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Protection } from "../backend/plan.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { LauncherAhead } from "./ahead.ts";
import type { Reached } from "./cgroup/cgroup.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import type { Cause, EndOptions } from "./ending.ts";
import type { Violation } from "./mac/violation.ts";
import type { Captured, OutputSink } from "./output.ts";
import type { ProcessId } from "./process-id.ts";
import type { Discrepancy } from "./proof.ts";
import type { SpaceLeft } from "./scratch-space.ts";
import type { StartedBy } from "./spawn.ts";
import type { Surroundings } from "./surroundings.ts";
import type { TerminalWindow } from "./window.ts";

/** How one plan is run: input, bounds, where output goes, and what ends it early. */
export interface RunOptions extends Omit<EndOptions, "hasTerminal"> {
  /**
   * What the program reads, or nothing. It is handed on piece by piece: a descriptor of ours could be opened anew
   * inside. `held`: whoever is told of the walls writes to it.
   */
  readonly stdin: Readable | "held" | null;
  /** For each of stdout and stderr; null: all of it goes to sinks, and 64 MiB are kept without. */
  readonly outputBytes: number | null;
  readonly sinks: { readonly stdout: OutputSink; readonly stderr: OutputSink } | null;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  /** Where a cgroup for the plan's bounds on the whole tree is made; a plan that has none needs none. */
  readonly cgroups?: Cgroups | null;
  /** What the program's terminal is seen through, where the plan gives it one; without a window nobody looks at it. */
  readonly window?: TerminalWindow | null;
  /** What starts the launcher, where its mounts are to be its own: see `findPrivateMounts`. */
  readonly startedBy?: StartedBy | null;
  /** Where a launcher may wait already, and the next one is started meanwhile. */
  readonly ahead?: LauncherAhead | null;
  /** The supervisor's own namespaces and inherited descriptors. */
  readonly surroundings: Surroundings;
  /** What a plan's way out leads to; a plan that has none needs none. */
  readonly egress?: WayOut | null;
  /** Where ports lead in from; a plan that has none needs none. */
  readonly wayIn?: WayIn | null;
  /** It is ended when something that is to be hidden from it can be read, within a quarter of a second. */
  readonly endsUncovered?: boolean;
  /** Called when the proof holds, right before the program may start. */
  readonly onProven: ((walls: Walls) => void) | null;
}

/** Where a call's connections go: what is told to the program alone, and what takes them. */
export interface WayOut {
  /** The password of the call's own, for the egress proxy: letters, digits, `-` and `_`. */
  readonly secret: string;
  /** Takes what connects to a listener in the call's own network, until that is closed. */
  serve(listener: Server): void;
}

/** Where connections from this machine to a call's servers come from. */
export interface WayIn {
  /** From here on each is joined with one that is made inside; null where nobody listens there. */
  open(connect: (port: number) => Promise<Socket | null>): void;
}

/** Walls that were proven, for as long as the program runs. */
export interface Walls {
  /** Mounts that were lost, or arrived, since they were proven. */
  readonly changes: () => readonly Discrepancy[];
  /** The sandbox's first process: when it has ended, all others have. */
  readonly init: ProcessId;
  /** What the program reads, where it is held. */
  readonly input: Writable | null;
  /** False as soon as the sandbox's first process has ended, before this process is told. */
  readonly isRunning: () => boolean;
  /** Whether this process goes on for as long as the program does, as it does at first. */
  readonly keepAlive: (isKept: boolean) => void;
}

/** How a program ended. `code` is its own status, 128+n after signal n. */
export interface Ended {
  readonly cause: Cause;
  readonly code: number;
  readonly stdout: Captured;
  readonly stderr: Captured;
  /** Mounts that were lost, or arrived, while the program ran. */
  readonly mountChanges: readonly Discrepancy[];
  /** The bounds on the whole tree that it ran against; null when nobody held them at the end. */
  readonly reached: Reached;
  /** Where something that is to be hidden could be read meanwhile. It ended the program, unless that ended by itself first. */
  readonly uncovered: readonly AbsolutePath[];
  /** What was to be kept from being written and could be at the end: something on the host took its mount off. */
  readonly unprotected: readonly AbsolutePath[];
  /** What the kernel's log says that it refused to a program that failed; what is not there may have been refused, too. */
  readonly refused?: readonly Violation[];
  /** How full the scratch space was when a program had failed. */
  readonly spaceLeft?: readonly SpaceLeft[];
  /** Why the program itself could not be started, in the words of the C library; null or left out where it was. */
  readonly notStarted?: string | null;
  /** What of the walls did not hold to the end, where that is told otherwise than by mounts. */
  readonly shortcomings?: readonly Shortcoming[];
}

/** A protection that did not hold whole, and why. */
export interface Shortcoming {
  readonly protection: Protection;
  readonly reason: string;
}

/** How long the walls may take to stand, in milliseconds. */
export const SETUP_MS = 20_000;
