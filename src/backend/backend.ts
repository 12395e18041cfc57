import type { AbsolutePath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Launch } from "../tool/launch.ts";
import type { ShelterNeeds } from "./bubblewrap/shelter.ts";
import type { Facts } from "./facts.ts";
import type { Plan, Rendering } from "./plan.ts";

/** One way to build the walls. Whatever differs between backends, a backend says for itself. */
export interface Backend {
  readonly name: string;
  /** The platform whose kernel enforces its plans. */
  readonly platform: "linux" | "darwin";
  /** HOME inside. */
  readonly home: AbsolutePath;
  /** True for a path at which the sandbox has something of its own, whatever the host has there. */
  isMadeInside(path: AbsolutePath): boolean;
  /** The plan that enforces the profile, or why there is none. Never looser than the profile. */
  render(profile: Profile, launch: Launch, facts: Facts): Rendering;
  /** The same plan, set up where nothing but the call's own folders can be written, whatever links stand there meanwhile. */
  shelter(plan: Plan, needs: ShelterNeeds): Plan;
}
