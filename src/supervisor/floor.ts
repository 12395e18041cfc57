import type { Backend } from "../backend/backend.ts";
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
  "sockets",
  "processes",
  "capabilities",
  "syscalls",
  "environment",
  "descriptors",
];

/**
 * What stands below the floor that `require_os_sandbox` demands: files, network, sockets, processes, capabilities, system
 * calls, environment and descriptors enforced (tighter counts), or at partial for a reason that the backend says is as much as
 * can be demanded of it; limits when the profile says `strict`. A network that the profile itself leaves to the host is as
 * asked for.
 */
export function belowFloor(
  standings: Standings,
  profile: Profile,
  { accepts }: Pick<Backend, "accepts">,
): readonly BelowFloor[] {
  return PROTECTIONS.flatMap((protection): BelowFloor[] => {
    const standing = standings[protection];
    const isAccepted =
      standing.kind === "partial" &&
      accepts.some(
        (one) =>
          one.protection === protection &&
          standing.reason.startsWith(one.reason) &&
          (one.isAskedFor?.(profile) ?? true),
      );
    return isAccepted || isHighEnough(protection, standing, profile) ? [] : [{ protection, standing }];
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
  if (protection === "limits") return profile.limits.strict !== true;
  return !DEMANDED.includes(protection);
}
