import type { AbsolutePath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Launch } from "../tool/launch.ts";
import type { ShelterNeeds } from "./bubblewrap/shelter.ts";
import type { Facts } from "./facts.ts";
import type { Plan, Protection, Rendering } from "./plan.ts";

/** A protection that may stand at partial for one reason, which its reason begins with. */
export interface Accepted {
  readonly protection: Protection;
  readonly reason: string;
  /** Only where the profile asks for it. */
  readonly isAskedFor?: (profile: Profile) => boolean;
}

/** One way to build the walls. Whatever differs between backends, a backend says for itself. */
export interface Backend {
  readonly name: string;
  /** The platform whose kernel enforces its plans. */
  readonly platform: "linux" | "darwin";
  /** HOME inside. */
  readonly home: AbsolutePath;
  /** What the sandbox has of its own at the path or around it, whatever the host has there; null where it shows the host's. */
  viewAround(path: AbsolutePath): AbsolutePath | null;
  /** The plan that enforces the profile, or why there is none. Never looser than the profile. */
  render(profile: Profile, launch: Launch, facts: Facts): Rendering;
  /** Whether its sandboxes have the machine's loopback: one egress proxy listens there for all, and tells them apart. */
  readonly sharesLoopback: boolean;
  /** Whether it can give a program a terminal of its own. */
  readonly givesTerminals: boolean;
  /** What may stand at partial and is still as high as anybody can demand of it. */
  readonly accepts: readonly Accepted[];
  /** The same plan, set up where nothing but the call's own folders can be written, whatever links stand there meanwhile. */
  shelter(plan: Plan, needs: ShelterNeeds): Plan;
}
