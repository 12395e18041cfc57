import { LIMITS } from "../../profile/limits.ts";
import type { Profile } from "../../profile/profile.ts";
import type { Facts } from "../facts.ts";
import type { Approximation, Enforcement, EnforcementReport } from "../plan.ts";
import { unboundedNetwork } from "../proxy-way.ts";
import { MAY_BE_LEFT, NOT_BY_NUMBER } from "./start-program.ts";

const ENFORCED: Enforcement = { kind: "enforced" };

/** The enforcement of each protection under a plan, before the start program's checks, which may weaken it. */
export function enforcementReport(
  profile: Profile,
  { user }: Pick<Facts, "user">,
  approximations: readonly Approximation[],
): EnforcementReport {
  const tighter = [...new Set(approximations.map((one) => one.name))].join(", ");
  return {
    files: tighter === "" ? ENFORCED : { kind: "tighter", reason: tighter },
    network:
      profile.network === "host"
        ? { kind: "absent", reason: "the machine's own network, as configured: its loopback can be reached" }
        : ENFORCED,
    sockets: ENFORCED,
    processes: partial(
      profile.macos.includes("processes")
        ? `${MAY_BE_LEFT}; all processes of this machine can be listed, as configured`
        : MAY_BE_LEFT,
    ),
    capabilities:
      user.uid === 0
        ? partial("it runs as root: rules do not deny all of root's rights besides files and processes")
        : ENFORCED,
    syscalls: partial(
      profile.syscalls.includes("debug")
        ? `${NOT_BY_NUMBER}; as configured, processes of a call can trace and change each other`
        : NOT_BY_NUMBER,
    ),
    terminal: ENFORCED,
    environment: ENFORCED,
    descriptors: ENFORCED,
    limits: limitsEnforcement(profile),
  };
}

/** Limits that Darwin enforces for no call; the host bounds wall time and output, the start program the rest. */
const UNBOUNDED: Partial<Record<(typeof LIMITS)[number], string>> = {
  memoryBytes: "memory: absent: Darwin does not limit it (getrlimit(2))",
  processes: "the number of processes: absent: Darwin counts all processes of a user",
  scratchBytes: "scratch space: absent: it is a folder on this disk",
  sharedMemoryBytes: "shared memory: absent: Darwin does not limit it",
};

function limitsEnforcement(profile: Profile): Enforcement {
  const { limits } = profile;
  const loose = [
    ...unboundedNetwork(profile),
    ...LIMITS.flatMap((name) => (limits[name] === undefined ? [] : (UNBOUNDED[name] ?? []))),
  ];
  return loose.length === 0 ? ENFORCED : partial(loose.join("; "));
}

function partial(reason: string): Enforcement {
  return { kind: "partial", reason };
}
