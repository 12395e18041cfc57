import {
  type Approximation,
  type Plan,
  type ShownDevice,
  type Standing,
  type Standings,
  weaker,
} from "../backend/plan.ts";
import type { EventBody } from "../event/event.ts";
import { type Appearances, NOTHING_APPEARED } from "../host/appeared.ts";
import type { Reached, TreeLimit } from "../host/cgroup/cgroup.ts";
import { printMissing } from "../host/proof.ts";
import type { Shortcoming } from "../host/run-options.ts";
import type { ProfileDigest } from "../profile/canonical.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Unprotected } from "./beside.ts";
import type { NetworkUse } from "./network-use.ts";
import type { Walls } from "./shared.ts";

/** A limit that can be seen to have been reached. */
export type ReachedLimit = TreeLimit | "cpuSeconds";

/** Which protections were really in force for one launch. */
export interface Receipt {
  /** `none` for a function, which runs in the supervisor's own process: no wall stands around it. */
  readonly backend: string;
  readonly version: string;
  /** Null for what has no profile. */
  readonly granted: ProfileDigest | null;
  readonly argsHash: string | null;
  readonly runAs: number;
  readonly standings: Standings;
  readonly approximations: readonly Approximation[];
  /** Devices of the machine that it had, and what each let it do; left out where it had none. */
  readonly devices?: readonly ShownDevice[];
  /** Mounts that were lost or arrived while the program ran. */
  readonly mountChanges: readonly string[];
  /** Paths that are hidden by the profile and could be read meanwhile: what hid them was lost. */
  readonly uncovered: readonly AbsolutePath[];
  /**
   * Paths that the profile keeps from being written and the program could write at the end: something on the host replaced
   * them while it ran. What stands there may be its own.
   */
  readonly unprotected: readonly Unprotected[];
  /** What came to be meanwhile and other programs on this machine may obey. */
  readonly appeared: Appearances;
  /** The ports of this machine's loopback that led into it. */
  readonly ports: readonly number[];
  /** What it did to the network; null where it had no way out, and where it had the machine's own. */
  readonly egress: NetworkUse | null;
  /**
   * What it ran against, as far as that can be seen: bounds on all its processes together, where a cgroup held them; processor
   * time by its status, where that is what a process without time ends with. A bound on each process is else known to that
   * alone, which is refused memory or another process.
   */
  readonly limitsReached: readonly ReachedLimit[];
}

/** What stood around a call while it ran. */
interface Stood {
  readonly plan: Pick<Plan, "backend" | "version" | "approximations" | "devices" | "ports">;
  readonly granted: ProfileDigest;
  readonly argsHash: string;
  readonly walls: Walls;
  readonly standings: Standings;
  readonly mountChanges: readonly string[];
  readonly uncovered?: readonly AbsolutePath[];
  readonly unprotected?: readonly Unprotected[];
  readonly appeared?: Appearances;
  readonly egress?: NetworkUse | null;
  readonly reached: Reached;
  /** What else did not hold to the end. */
  readonly shortcomings?: readonly Shortcoming[];
  /** It ended as what has no processor time left does. */
  readonly isOutOfTime?: boolean;
}

/**
 * The receipt of what ran inside walls. A mask that was lost, or a mount that arrived, makes the files' protection partial;
 * a cgroup that was taken away, that of limits; whatever else did not hold, its own.
 */
export function receiptOf(stood: Stood): Receipt {
  const { plan, granted, argsHash, walls, standings, mountChanges, reached } = stood;
  const {
    uncovered = [],
    unprotected = [],
    appeared = NOTHING_APPEARED,
    egress = null,
    isOutOfTime = false,
    shortcomings = [],
  } = stood;
  const lost = lostOf({ mountChanges, unprotected });
  const files =
    lost.length === 0
      ? standings.files
      : weaker(standings.files, { kind: "partial", reason: lost.join("; ") });
  const limits = reached === null ? weaker(standings.limits, TAKEN_AWAY) : standings.limits;
  return {
    backend: plan.backend,
    version: plan.version,
    granted,
    argsHash,
    runAs: walls.kind === "standing" ? walls.machine.facts.user.uid : -1,
    standings: shortcomings.reduce(withShortcoming, { ...standings, files, limits }),
    approximations: plan.approximations,
    ...(plan.devices === undefined ? {} : { devices: plan.devices }),
    mountChanges,
    uncovered,
    unprotected,
    appeared,
    ports: plan.ports,
    egress,
    limitsReached: [...(reached ?? []), ...(isOutOfTime ? (["cpuSeconds"] as const) : [])],
  };
}

/** What is said already of a protection that stands at partial is still said. */
function withShortcoming(standings: Standings, { protection, reason }: Shortcoming): Standings {
  const before = standings[protection];
  if (before.kind === "absent") return standings;
  const both = before.kind === "partial" ? `${before.reason}; ${reason}` : reason;
  return { ...standings, [protection]: { kind: "partial", reason: both } };
}

/** What mounts that changed mean, each in words: protections that were lost first, then what else is not as it was. */
export function lostOf(seen: Pick<Receipt, "mountChanges" | "unprotected">): readonly string[] {
  const lost = seen.unprotected.map(({ path, runs }) => {
    const so = runs.length === 0 ? "" : ` (git may run ${runs.join(", ")})`;
    return `${path} lost its protection and could be written${so}`;
  });
  return [...lost, ...otherChanges(seen)];
}

/** Changes of mounts that are not told by the path that lost its protection. */
export function otherChanges({
  mountChanges,
  unprotected,
}: Pick<Receipt, "mountChanges" | "unprotected">): readonly string[] {
  const told = new Set(unprotected.map(({ path }) => printMissing(path)));
  return mountChanges.filter((change) => !told.has(change));
}

const TAKEN_AWAY: Standing = {
  kind: "partial",
  reason: "the cgroup that held limits of all processes together was taken away while the call ran",
};

/** The event that tells by which plan a call is started; `env` are the names that it gets. */
export function planned(plan: Plan, granted: ProfileDigest, env: readonly string[]): EventBody {
  return {
    type: "call.planned",
    backend: plan.backend,
    granted,
    env: [...env],
    ...(plan.ports.length === 0 ? {} : { ports: [...plan.ports] }),
    placeholders: plan.placeholders.map(({ path }) => path),
    approximations: plan.approximations.map((one) => one.reason),
  };
}

/** The receipt of what ran in this process: no wall stood around it. */
export function receiptWithoutWalls(uid: number): Receipt {
  const absent: Standing = { kind: "absent", reason: "it ran in the supervisor's own process" };
  return {
    backend: "none",
    version: "",
    granted: null,
    argsHash: null,
    runAs: uid,
    standings: {
      files: absent,
      network: absent,
      sockets: absent,
      processes: absent,
      capabilities: absent,
      syscalls: absent,
      terminal: absent,
      environment: absent,
      descriptors: absent,
      limits: absent,
    },
    approximations: [],
    mountChanges: [],
    uncovered: [],
    unprotected: [],
    appeared: NOTHING_APPEARED,
    ports: [],
    egress: null,
    limitsReached: [],
  };
}
