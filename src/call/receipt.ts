import { type Enforcement, type EnforcementReport, type Plan, weakest } from "../backend/plan.ts";
import type { NetworkUse } from "../decide/network-use.ts";
import type { Receipt, Unprotected } from "../decide/receipt.ts";
import type { EventBody } from "../event/event.ts";
import { type Appearances, NOTHING_APPEARED } from "../host/launch/appeared.ts";
import type { ReachedBounds } from "../host/launch/cgroup/cgroup.ts";
import { printMissing } from "../host/launch/proof.ts";
import type { Shortcoming } from "../host/launch/run-options.ts";
import type { ProfileDigest } from "../profile/canonical.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { SandboxSupport } from "./supervisor-context.ts";

interface RunEvidence {
  readonly plan: Pick<Plan, "backend" | "version" | "approximations" | "devices" | "ports">;
  readonly granted: ProfileDigest;
  readonly argsHash: string;
  readonly sandbox: SandboxSupport;
  readonly enforcement: EnforcementReport;
  readonly mountChanges: readonly string[];
  readonly uncovered?: readonly AbsolutePath[];
  readonly unprotected?: readonly Unprotected[];
  readonly appeared?: Appearances;
  readonly egress?: NetworkUse | null;
  readonly reached: ReachedBounds;
  /** Other protections that failed before the end. */
  readonly shortcomings?: readonly Shortcoming[];
  /** It ended like a process without CPU time left. */
  readonly isOutOfTime?: boolean;
}

/**
 * The receipt of a run in a sandbox. A lost mask, or a mount that arrived, makes the protection of files partial; a
 * cgroup that was taken away makes that of limits partial. Each other failure weakens its own protection.
 */
export function receiptOf(stood: RunEvidence): Receipt {
  const { plan, granted, argsHash, sandbox, enforcement, mountChanges, reached } = stood;
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
      ? enforcement.files
      : weakest(enforcement.files, { kind: "partial", reason: lost.join("; ") });
  const limits = reached === null ? weakest(enforcement.limits, TAKEN_AWAY) : enforcement.limits;
  return {
    backend: plan.backend,
    version: plan.version,
    granted,
    argsHash,
    runAs: sandbox.kind === "available" ? sandbox.machine.facts.user.uid : -1,
    enforcement: shortcomings.reduce(withShortcoming, { ...enforcement, files, limits }),
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

/** Keeps the reason of a protection that is already partial. */
function withShortcoming(
  enforcement: EnforcementReport,
  { protection, reason }: Shortcoming,
): EnforcementReport {
  const before = enforcement[protection];
  if (before.kind === "absent") return enforcement;
  const both = before.kind === "partial" ? `${before.reason}; ${reason}` : reason;
  return { ...enforcement, [protection]: { kind: "partial", reason: both } };
}

/** The effects of changed mounts in words: lost protections first, then other changes. */
export function lostOf(seen: Pick<Receipt, "mountChanges" | "unprotected">): readonly string[] {
  const lost = seen.unprotected.map(({ path, runs }) => {
    const so = runs.length === 0 ? "" : ` (git may run ${runs.join(", ")})`;
    return `${path} lost its protection and could be written${so}`;
  });
  return [...lost, ...otherChanges(seen)];
}

/** Changes of mounts, except those reported by a path that lost its protection. */
export function otherChanges({
  mountChanges,
  unprotected,
}: Pick<Receipt, "mountChanges" | "unprotected">): readonly string[] {
  const reported = new Set(unprotected.map(({ path }) => printMissing(path)));
  return mountChanges.filter((change) => !reported.has(change));
}

const TAKEN_AWAY: Enforcement = {
  kind: "partial",
  reason: "the cgroup with the limits of all processes together was removed while the call ran",
};

/** The event that reports the plan of a call; `env` are the names of its variables. */
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

/** The receipt of a function that ran in this process, without a sandbox. */
export function receiptWithoutSandbox(uid: number): Receipt {
  const absent: Enforcement = { kind: "absent", reason: "it ran in the supervisor's own process" };
  return {
    backend: "none",
    version: "",
    granted: null,
    argsHash: null,
    runAs: uid,
    enforcement: {
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
