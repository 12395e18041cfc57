import type { Profile } from "../../profile/profile.ts";
import type { AcceptedPartial } from "../backend.ts";
import type { Facts, TreeBound } from "../facts.ts";
import { grantedDevices } from "../granted-devices.ts";
import type { Approximation, Enforcement, EnforcementReport } from "../plan.ts";
import { unboundedNetwork } from "../proxy-way.ts";
import { isCountedByUser } from "./tree.ts";

const ENFORCED: Enforcement = { kind: "enforced" };

/** The only reason for which sockets may be `partial`. */
export const SOCKETS_IN_ROOTS = "a host socket in a granted folder can be connected to";

/** The only reason for which files may be `partial`. */
export const HOST_DEVICES = "a process can change the modes and times of the host's device nodes";

/** The only reason for which system calls may be `partial`: the profile asks for it. */
export const TRACED = "as configured, processes of a call can trace and change each other";

/** Protections that may be `partial`: see `Backend`. */
export const ACCEPTS: readonly AcceptedPartial[] = [
  { protection: "files", reason: HOST_DEVICES },
  { protection: "sockets", reason: SOCKETS_IN_ROOTS },
  { protection: "syscalls", reason: TRACED, isAskedFor: ({ syscalls }) => syscalls.includes("debug") },
];

/** The enforcement of each protection under a plan, before observation, which can only make it weaker. */
export function enforcementReport(
  profile: Profile,
  facts: Facts,
  approximations: readonly Approximation[],
): EnforcementReport {
  return {
    files: filesEnforcement(profile, facts, approximations),
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
      ? { kind: "partial", reason: `${TRACED}: its status and output may be those of any of them` }
      : ENFORCED,
    terminal: ENFORCED,
    environment: ENFORCED,
    descriptors: ENFORCED,
    limits: limitsEnforcement(profile, facts),
  };
}

function filesEnforcement(
  profile: Profile,
  facts: Facts,
  approximations: readonly Approximation[],
): Enforcement {
  const { devices } = facts;
  if (devices.kind === "exposed") return { kind: "partial", reason: `${HOST_DEVICES}: ${devices.reason}` };
  const exposed = grantedDevices(profile, facts).nodes.filter(({ isExposed }) => isExposed);
  if (exposed.length > 0) {
    const paths = exposed.map(({ path }) => path).join(", ");
    return { kind: "partial", reason: `${HOST_DEVICES}: no others could be created for ${paths}` };
  }
  const tighter = [...new Set(approximations.map((one) => one.name))].join(", ");
  return tighter === "" ? ENFORCED : { kind: "tighter", reason: tighter };
}

function limitsEnforcement(profile: Profile, facts: Facts): Enforcement {
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
      : ["scratch space: absent: install bubblewrap 0.7 or newer, which limits it"]),
  ];
  return loose.length === 0 ? ENFORCED : { kind: "partial", reason: loose.join("; ") };
}

function looseFor(what: string, bound: TreeBound): readonly string[] {
  if (bound.kind === "held") return bound.except === null ? [] : [`${what}: partial: ${bound.except}`];
  return [`${what}: absent: no cgroup can be created, ${bound.reason}; ${bound.fix}`];
}
