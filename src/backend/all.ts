import type { Backend } from "./backend.ts";
import { ACCEPTS as BUBBLEWRAP_ACCEPTS } from "./bubblewrap/enforcement.ts";
import { HOME } from "./bubblewrap/identity.ts";
import { renderBubblewrap } from "./bubblewrap/render.ts";
import { shelter } from "./bubblewrap/shelter.ts";
import { viewAround } from "./bubblewrap/view-around.ts";
import { EMPTY_HOME } from "./seatbelt/base.ts";
import { renderSeatbelt } from "./seatbelt/render.ts";
import { ACCEPTS as SEATBELT_ACCEPTS } from "./seatbelt/start-program.ts";

export const BACKENDS: readonly Backend[] = [
  {
    name: "bubblewrap",
    platform: "linux",
    home: HOME,
    viewAround,
    render: renderBubblewrap,
    sharesLoopback: false,
    givesTerminals: true,
    accepts: BUBBLEWRAP_ACCEPTS,
    shelter,
  },
  {
    name: "seatbelt",
    platform: "darwin",
    home: EMPTY_HOME,
    viewAround: () => null,
    render: renderSeatbelt,
    sharesLoopback: true,
    givesTerminals: false,
    accepts: SEATBELT_ACCEPTS,
    // Nothing is mounted there: no link is ever in the place of a mount point.
    shelter: (plan) => plan,
  },
];

export function backendFor(platform: Backend["platform"]): Backend | null {
  return BACKENDS.find((backend) => backend.platform === platform) ?? null;
}
