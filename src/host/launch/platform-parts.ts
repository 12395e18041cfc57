import type { StartAttack } from "../../attacks/at-start.ts";
import type { StartTarget } from "../../attacks/attack.ts";
import type { Backend } from "../../backend/backend.ts";
import type { Launcher } from "../../backend/facts.ts";
import type { Devices } from "../../profile/devices.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Root, Runtime } from "../../tool/facts.ts";
import type { Host } from "../look/host.ts";
import type { Cgroups } from "./cgroup/cgroups.ts";
import type { SandboxProbe } from "./doctor.ts";
import type { MachineFacts } from "./facts.ts";
import type { Probed } from "./mac/probes/run.ts";
import type { Ended, PlanRunOptions } from "./run-options.ts";
import type { SelfCheckResult } from "./self-check-result.ts";
import type { SpawnOptions } from "./spawn.ts";
import type { Surroundings } from "./surroundings.ts";

/** The differences between the platforms of sandboxes. */
export interface Platform {
  /** The sandbox program; nothing is written except the parts that `remember` keeps. Throws `SANDBOX_UNAVAILABLE`. */
  findLauncher(
    host: Host,
    memory: "remember" | "read",
    writable?: readonly AbsolutePath[],
  ): Promise<Launcher>;
  /** Tries each part of a sandbox by itself, as the user that tools run as. */
  tryParts(host: Host, launcher: Launcher, runAs: SpawnOptions["runAs"]): Promise<readonly SandboxProbe[]>;
  /** The kernel's undocumented behaviour. `keep` remembers it, `read` writes nothing. Throws `SANDBOX_UNAVAILABLE`. */
  askKernel(host: Host, launcher: Launcher, memory: "keep" | "read"): Promise<readonly Probed[]>;
  /** Prepares the machine for looks and calls; throws `SANDBOX_UNAVAILABLE` if no sandbox is available. */
  prepare(host: Host, roots: readonly Root[], devices: Devices): Promise<void>;
  cgroups(host: Host): Cgroups | null;
  /** Reports if a cgroup could be made for each call; makes none. */
  lookAtTree(host: Pick<Host, "user">): MachineFacts["tree"];
  /** Looks at the machine for one supervisor. Writes only as `remember` asks. Throws `SANDBOX_UNAVAILABLE`. */
  lookAt(
    host: Host,
    roots: readonly Root[],
    runtimes: readonly Runtime[],
    memory: "remember" | "read",
  ): Promise<MachineFacts>;
  /** The plan that enforces a profile here, or the reason why there is none. */
  readonly render: Backend["render"];
  /** The conditions for which a result of the self-check holds, in one line. */
  checkedFor(host: Host, machine: MachineFacts): string;
  inAttackPlace<Value>(
    host: Host,
    machine: MachineFacts,
    start: StartScript,
    work: (place: AttackPlace) => Promise<Value>,
  ): Promise<Value>;
  /** The surroundings from which calls are started. Throws `SANDBOX_UNAVAILABLE`. */
  surroundings(host: Host, machine: MachineFacts): Promise<Surroundings>;
  /** Removes the rest of killed supervisors, besides that on every platform. */
  sweep(host: Host, cgroups: Cgroups | null, machine: MachineFacts): Promise<void>;
}

/** Starts a script in a sandbox that grants only the system's own programs. Throws `SANDBOX_UNAVAILABLE`. */
export type StartScript = (script: string, more: Partial<PlanRunOptions>) => Promise<Ended>;

/** The targets of the self-check's attacks. */
export interface AttackPlace {
  readonly target: StartTarget;
  readonly options?: Pick<PlanRunOptions, "surroundings">;
  /** Returns for each attack whether it can be done outside. */
  tryControls(attacks: readonly StartAttack[]): Promise<readonly boolean[]>;
  tryFeatures(): Promise<Pick<SelfCheckResult, "hasShelter" | "coversLinks">>;
  /** True if a file was changed that no sandbox is granted. */
  isTouched(): boolean;
}
