import type { Backend } from "../backend/backend.ts";
import {
  type Enforcement,
  type EnforcementReport,
  PROTECTIONS,
  type Protection,
  weakest,
} from "../backend/plan.ts";
import type { Profile } from "../profile/profile.ts";

/** A protection whose enforcement is below the required level. */
export interface BelowFloor {
  readonly protection: Protection;
  readonly enforcement: Enforcement;
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
 * Lists protections below the floor that `require_os_sandbox` demands. Files, network, sockets, processes,
 * capabilities, system calls, environment and descriptors must be enforced (tighter counts). Partial is enough for a
 * reason that the backend accepts. Limits count if the profile says `strict`. A network that the profile leaves to the
 * host counts as requested.
 */
export function belowFloor(
  report: EnforcementReport,
  profile: Profile,
  { accepts }: Pick<Backend, "accepts">,
): readonly BelowFloor[] {
  return PROTECTIONS.flatMap((protection): BelowFloor[] => {
    const enforcement = report[protection];
    const isAccepted =
      enforcement.kind === "partial" &&
      accepts.some(
        (one) =>
          one.protection === protection &&
          enforcement.reason.startsWith(one.reason) &&
          (one.isAskedFor?.(profile) ?? true),
      );
    return isAccepted || isHighEnough(protection, enforcement, profile) ? [] : [{ protection, enforcement }];
  });
}

/** The enforcement report, weakened by the failures seen on this machine. */
export function weakened(
  report: EnforcementReport,
  failures: readonly { readonly protection: string; readonly name: string }[],
): EnforcementReport {
  const after = { ...report };
  for (const protection of PROTECTIONS) {
    for (const failure of failures) {
      if (failure.protection !== protection) continue;
      after[protection] = weakest(after[protection], {
        kind: "absent",
        reason: `a process in a real sandbox could ${failure.name}`,
      });
    }
  }
  return after;
}

function isHighEnough(protection: Protection, enforcement: Enforcement, profile: Profile): boolean {
  if (enforcement.kind === "enforced" || enforcement.kind === "tighter") return true;
  if (protection === "network") return profile.network === "host";
  if (protection === "limits") return profile.limits.strict !== true;
  return !DEMANDED.includes(protection);
}
