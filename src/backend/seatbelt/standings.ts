import { LIMITS } from "../../profile/limits.ts";
import type { Profile } from "../../profile/profile.ts";
import type { Facts } from "../facts.ts";
import type { Approximation, Standing, Standings } from "../plan.ts";
import { unboundedNetwork } from "../proxy-way.ts";
import { MAY_BE_LEFT, NOT_BY_NUMBER } from "./gate.ts";

const ENFORCED: Standing = { kind: "enforced" };

/** How each protection stands under a plan, before it was tried: that can only make it weaker. */
export function standings(
  profile: Profile,
  { user }: Pick<Facts, "user">,
  approximations: readonly Approximation[],
): Standings {
  const tighter = [...new Set(approximations.map((one) => one.name))].join(", ");
  return {
    files: tighter === "" ? ENFORCED : { kind: "tighter", reason: tighter },
    network:
      profile.network === "host"
        ? absent("the machine's own network, as configured: its loopback can be reached")
        : ENFORCED,
    sockets: ENFORCED,
    processes: partial(
      profile.macos.includes("processes")
        ? `${MAY_BE_LEFT}; all processes of this machine can be listed, as configured`
        : MAY_BE_LEFT,
    ),
    capabilities:
      user.uid === 0
        ? partial("it runs as root: what root may do beside files and processes is not all denied by rules")
        : ENFORCED,
    syscalls: partial(
      profile.syscalls.includes("debug")
        ? `${NOT_BY_NUMBER}; as configured, processes of a call can trace and change one another`
        : NOT_BY_NUMBER,
    ),
    terminal: ENFORCED,
    environment: ENFORCED,
    descriptors: ENFORCED,
    limits: limitsStanding(profile),
  };
}

/** What Darwin bounds for no call; wall time and output are bounded by the host, the rest by the gate. */
const UNBOUNDED: Partial<Record<(typeof LIMITS)[number], string>> = {
  memoryBytes: "memory: absent: Darwin bounds that of no process (getrlimit(2))",
  processes: "the number of processes: absent: Darwin counts all of a user",
  scratchBytes: "scratch space: absent: it is a folder of this disk",
  sharedMemoryBytes: "shared memory: absent: Darwin bounds that of no process",
};

function limitsStanding(profile: Profile): Standing {
  const { limits } = profile;
  const loose = [
    ...unboundedNetwork(profile),
    ...LIMITS.flatMap((name) => (limits[name] === undefined ? [] : (UNBOUNDED[name] ?? []))),
  ];
  return loose.length === 0 ? ENFORCED : partial(loose.join("; "));
}

function partial(reason: string): Standing {
  return { kind: "partial", reason };
}

function absent(reason: string): Standing {
  return { kind: "absent", reason };
}
