import { HOST_DEVICES, SOCKETS_IN_ROOTS, TRACED } from "../backend/bubblewrap/standings.ts";
import { PROTECTIONS, type Protection, type Standing, type Standings, weaker } from "../backend/plan.ts";
import type { Profile } from "../profile/profile.ts";

/** A protection that does not stand as high as it must. */
export interface BelowFloor {
  readonly protection: Protection;
  readonly standing: Standing;
}

const DEMANDED: readonly Protection[] = [
  "files",
  "network",
  "processes",
  "capabilities",
  "syscalls",
  "environment",
  "descriptors",
];

/**
 * What stands below the floor that `require_os_sandbox` demands, the same on every host: files, network, processes,
 * capabilities, system calls, environment and descriptors enforced (tighter counts), sockets and files at least partial for
 * their one listed reason each, limits when the profile says `strict`. A network that the profile itself leaves to the host
 * is as asked for, and so is tracing where the profile lets it be.
 */
export function belowFloor(standings: Standings, profile: Profile): readonly BelowFloor[] {
  return PROTECTIONS.flatMap((protection): BelowFloor[] => {
    const standing = standings[protection];
    return isHighEnough(protection, standing, profile) ? [] : [{ protection, standing }];
  });
}

/** The standings after what was seen to fail on this machine. */
export function weakened(
  standings: Standings,
  failures: readonly { readonly protection: string; readonly name: string }[],
): Standings {
  const after = { ...standings };
  for (const protection of PROTECTIONS) {
    for (const failure of failures) {
      if (failure.protection !== protection) continue;
      after[protection] = weaker(after[protection], {
        kind: "absent",
        reason: `a real sandbox here let a process ${failure.name}`,
      });
    }
  }
  return after;
}

function isHighEnough(protection: Protection, standing: Standing, profile: Profile): boolean {
  if (standing.kind === "enforced" || standing.kind === "tighter") return true;
  if (protection === "network") return profile.network === "host";
  if (protection === "syscalls")
    return (
      standing.kind === "partial" && standing.reason.startsWith(TRACED) && profile.syscalls.includes("debug")
    );
  if (protection === "sockets" || protection === "files") {
    const listed = protection === "sockets" ? SOCKETS_IN_ROOTS : HOST_DEVICES;
    return standing.kind === "partial" && standing.reason.startsWith(listed);
  }
  if (protection === "limits") return profile.limits.strict !== true;
  return !DEMANDED.includes(protection);
}
