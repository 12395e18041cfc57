import type { Approximation, EnforcementReport, ShownDevice } from "../backend/plan.ts";
import type { Appearances } from "../host/launch/appeared.ts";
import type { TreeLimit } from "../host/launch/cgroup/cgroup.ts";
import type { ProfileDigest } from "../profile/canonical.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { NetworkUse } from "./network-use.ts";

/** A limit whose violation can be observed. */
export type ReachedLimit = TreeLimit | "cpuSeconds";

/** A protected path that a call could write because something on the host replaced it. */
export interface Unprotected {
  readonly path: AbsolutePath;
  /** Whatever git may now run by itself there, as in `Appeared`; empty if git does not obey the path. */
  readonly runs: readonly string[];
}

/** The protections that were really in force for one launch. */
export interface Receipt {
  /** `none` for a function, which runs in the supervisor's own process without a sandbox. */
  readonly backend: string;
  readonly version: string;
  /** Null if the tool has no profile. */
  readonly granted: ProfileDigest | null;
  readonly argsHash: string | null;
  readonly runAs: number;
  readonly enforcement: EnforcementReport;
  readonly approximations: readonly Approximation[];
  /** Devices of the machine that it had, and what each allowed; left out if it had none. */
  readonly devices?: readonly ShownDevice[];
  /** Mounts that were lost or arrived while the program ran. */
  readonly mountChanges: readonly string[];
  /** Paths hidden by the profile that became readable because their mask was lost. */
  readonly uncovered: readonly AbsolutePath[];
  /**
   * Paths protected by the profile that were writable at the end: something on the host replaced them during the run.
   * Their content may be the program's own.
   */
  readonly unprotected: readonly Unprotected[];
  /** New files and folders that other programs on this machine may obey. */
  readonly appeared: Appearances;
  /** The ports of this machine's loopback that led into it. */
  readonly ports: readonly number[];
  /** Its network use; null without network access, and with the machine's own network. */
  readonly egress: NetworkUse | null;
  /**
   * Limits it reached, as far as observable: bounds on all its processes together, if a cgroup set them; CPU time if
   * its status says so. Only a process itself sees its own bound, by a refusal of memory or of another process.
   */
  readonly limitsReached: readonly ReachedLimit[];
}
