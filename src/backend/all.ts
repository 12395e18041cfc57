import type { Backend } from "./backend.ts";
import { HOME } from "./bubblewrap/identity.ts";
import { isMadeInside } from "./bubblewrap/made-inside.ts";
import { renderBubblewrap } from "./bubblewrap/render.ts";
import { shelter } from "./bubblewrap/shelter.ts";
import { EMPTY_HOME } from "./seatbelt/base.ts";
import { renderSeatbelt } from "./seatbelt/render.ts";

/** Every backend there is. */
export const BACKENDS: readonly Backend[] = [
  { name: "bubblewrap", platform: "linux", home: HOME, isMadeInside, render: renderBubblewrap, shelter },
  {
    name: "seatbelt",
    platform: "darwin",
    home: EMPTY_HOME,
    isMadeInside: () => false,
    render: renderSeatbelt,
    // Nothing is mounted there, so that no link is ever in the place of a mount point.
    shelter: (plan) => plan,
  },
];

/** The backend for a platform, or null. */
export function backendFor(platform: Backend["platform"]): Backend | null {
  return BACKENDS.find((backend) => backend.platform === platform) ?? null;
}
