import { printProfile } from "../profile/canonical.ts";
import type { Profile } from "../profile/profile.ts";

/** A profile as plain data, from `printProfile`. */
export function profileJson(profile: Profile): unknown {
  return JSON.parse(printProfile(profile));
}
