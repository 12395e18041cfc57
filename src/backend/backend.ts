import type { AbsolutePath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { ProgramStart } from "../tool/launch.ts";
import type { ShelterNeeds } from "./bubblewrap/shelter.ts";
import type { Facts } from "./facts.ts";
import type { Plan, Protection, Rendering } from "./plan.ts";

/** A protection that may be `partial` for one accepted reason, given as the start of its reason. */
export interface AcceptedPartial {
  readonly protection: Protection;
  readonly reason: string;
  readonly isAskedFor?: (profile: Profile) => boolean;
}

/** One way to build a sandbox. Everything that differs between backends is here. */
export interface Backend {
  readonly name: string;
  readonly platform: "linux" | "darwin";
  /** HOME inside. */
  readonly home: AbsolutePath;
  /** The sandbox's own path at or around this one, whatever the host has there; null where it shows the host's. */
  viewAround(path: AbsolutePath): AbsolutePath | null;
  /** The plan that enforces the profile, or a refusal with its reason. Never looser than the profile. */
  render(profile: Profile, launch: ProgramStart, facts: Facts): Rendering;
  /** True if sandboxes share the machine's loopback: one egress proxy there serves all and tells them apart. */
  readonly sharesLoopback: boolean;
  /** True if it can give a program a terminal of its own. */
  readonly givesTerminals: boolean;
  /** Protections that may be `partial` and still count as the maximum that can be demanded. */
  readonly accepts: readonly AcceptedPartial[];
  /** The plan with only the call's own folders writable during set-up, even if links appear there meanwhile. */
  shelter(plan: Plan, needs: ShelterNeeds): Plan;
}
