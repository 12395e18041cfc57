import type { Launcher } from "../backend/facts.ts";
import type { Devices } from "../profile/devices.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Root, Runtime } from "../tool/facts.ts";
import type { Found } from "./attestation.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import type { Probe } from "./doctor.ts";
import type { StandingFacts } from "./facts.ts";
import type { Host } from "./host.ts";
import type { Probed } from "./mac/probes/run.ts";
import type { SpawnOptions } from "./spawn.ts";
import type { Surroundings } from "./surroundings.ts";

/** What differs between the platforms that walls are built on. */
export interface Platform {
  /** The sandbox program; nothing is written but what `remember` keeps. Throws `SANDBOX_UNAVAILABLE`. */
  findLauncher(
    host: Host,
    memory: "remember" | "read",
    writable?: readonly AbsolutePath[],
  ): Promise<Launcher>;
  /** Tries each part of a sandbox by itself, as the user that tools run as. */
  tryParts(host: Host, launcher: Launcher, runAs: SpawnOptions["runAs"]): Promise<readonly Probe[]>;
  /**
   * What the kernel does where that is not written down; nothing where all of it is. `keep` finds it anew and remembers it,
   * `read` writes nothing that stays. Throws `SANDBOX_UNAVAILABLE`.
   */
  askKernel(host: Host, launcher: Launcher, memory: "keep" | "read"): Promise<readonly Probed[]>;
  /** Makes what a look finds and calls need; where the walls can't be had at all, throws `SANDBOX_UNAVAILABLE`. */
  prepare(host: Host, roots: readonly Root[], devices: Devices): Promise<void>;
  /** Makes cgroups for calls; null where there are none. */
  cgroups(host: Host): Cgroups | null;
  /** Whether a cgroup could be made for each call; none is. */
  lookAtTree(host: Pick<Host, "user">): StandingFacts["tree"];
  /** What the machine has for one supervisor. Writes nothing but what `remember` keeps. Throws `SANDBOX_UNAVAILABLE`. */
  lookAt(
    host: Host,
    roots: readonly Root[],
    runtimes: readonly Runtime[],
    memory: "remember" | "read",
  ): Promise<StandingFacts>;
  /** What a battery's result holds for, in one line. */
  attestedFor(host: Host, standing: StandingFacts): string;
  /** Tries attacks in a real sandbox. Throws `SANDBOX_UNAVAILABLE` when none can be started at all. */
  battery(host: Host, standing: StandingFacts, system: Runtime): Promise<Found>;
  /** What calls are started from. Throws `SANDBOX_UNAVAILABLE`. */
  surroundings(host: Host, standing: StandingFacts): Promise<Surroundings>;
  /** Removes what killed supervisors left, beside what every platform has. */
  sweep(host: Host, cgroups: Cgroups | null, standing: StandingFacts): Promise<void>;
}
