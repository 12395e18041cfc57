import type { Profile } from "../../profile/profile.ts";
import type { Accepted } from "../backend.ts";
import type { Facts, TreeBound } from "../facts.ts";
import { grantedDevices } from "../granted-devices.ts";
import type { Approximation, Standing, Standings } from "../plan.ts";
import { unboundedNetwork } from "../proxy-way.ts";
import { isCountedByUser } from "./tree.ts";

const ENFORCED: Standing = { kind: "enforced" };

/** The one reason for which sockets may stand at `partial`. */
export const SOCKETS_IN_ROOTS = "a host socket that lies in a granted folder can be connected to";

/** The one reason for which files may stand at `partial`. */
export const HOST_DEVICES = "a process can change the modes and times of the host's device nodes";

/** The one reason for which system calls may stand at `partial`: the profile asks for it. */
export const TRACED = "as configured, processes of a call can trace and change one another";

/** What may stand at partial: see `Backend`. */
export const ACCEPTS: readonly Accepted[] = [
  { protection: "files", reason: HOST_DEVICES },
  { protection: "sockets", reason: SOCKETS_IN_ROOTS },
  { protection: "syscalls", reason: TRACED, isAskedFor: ({ syscalls }) => syscalls.includes("debug") },
];

/** How each protection stands under a plan, before it was seen: observation can only make it weaker. */
export function standings(
  profile: Profile,
  facts: Facts,
  approximations: readonly Approximation[],
): Standings {
  return {
    files: filesStanding(profile, facts, approximations),
    network:
      profile.network === "host"
        ? {
            kind: "absent",
            reason:
              "the machine's own network, as configured: its loopback and abstract sockets can be reached, its resolver and hosts are shown",
          }
        : ENFORCED,
    sockets:
      profile.sockets === "none"
        ? ENFORCED
        : {
            kind: "partial",
            reason:
              profile.network === "host" ? `${SOCKETS_IN_ROOTS}; abstract sockets too` : SOCKETS_IN_ROOTS,
          },
    processes: ENFORCED,
    capabilities: ENFORCED,
    syscalls: profile.syscalls.includes("debug")
      ? { kind: "partial", reason: `${TRACED}: its status and its output may be any of theirs` }
      : ENFORCED,
    terminal: ENFORCED,
    environment: ENFORCED,
    descriptors: ENFORCED,
    limits: limitsStanding(profile, facts),
  };
}

function filesStanding(profile: Profile, facts: Facts, approximations: readonly Approximation[]): Standing {
  const { devices } = facts;
  if (devices.kind === "exposed") return { kind: "partial", reason: `${HOST_DEVICES}: ${devices.reason}` };
  const exposed = grantedDevices(profile, facts).nodes.filter(({ isExposed }) => isExposed);
  if (exposed.length > 0) {
    const paths = exposed.map(({ path }) => path).join(", ");
    return { kind: "partial", reason: `${HOST_DEVICES}: no other could be made for ${paths}` };
  }
  const tighter = [...new Set(approximations.map((one) => one.name))].join(", ");
  return tighter === "" ? ENFORCED : { kind: "tighter", reason: tighter };
}

/** Each limit that does not hold for all that it speaks of, and what would make it hold. */
function limitsStanding(profile: Profile, facts: Facts): Standing {
  const { limits } = profile;
  const loose = [
    ...unboundedNetwork(profile),
    ...(limits.memoryBytes === undefined
      ? []
      : looseFor("memory of all processes together", facts.tree.memory)),
    ...(limits.processes === undefined || isCountedByUser(facts)
      ? []
      : looseFor("the number of root's processes", facts.tree.pids)),
    ...(facts.coreDumps.kind === "handler" && facts.coreDumps.limiter === null
      ? [
          "core dumps: absent: a crash starts a program of this machine as root; install prlimit of util-linux",
        ]
      : []),
    ...(facts.launcher.options.has("size")
      ? []
      : ["scratch space: absent: install bubblewrap 0.7 or newer, which bounds it"]),
  ];
  return loose.length === 0 ? ENFORCED : { kind: "partial", reason: loose.join("; ") };
}

function looseFor(what: string, bound: TreeBound): readonly string[] {
  if (bound.kind === "held") return bound.except === null ? [] : [`${what}: partial: ${bound.except}`];
  return [`${what}: absent: no cgroup can be made here, ${bound.reason}; ${bound.fix}`];
}
