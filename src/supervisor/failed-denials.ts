import type { SpaceLeft } from "../host/scratch-space.ts";
import { deadLinkDenials } from "./dead-links.ts";
import type { Denial } from "./denial.ts";
import { processLimitDenials } from "./process-limit-denials.ts";
import { scratchDenials } from "./scratch-denials.ts";
import { type FailedCall, startDenials } from "./start-denials.ts";
import type { StartSight } from "./unstartable.ts";

/** What the sandbox lacked for a call that failed: programs, ends of the machine's links, space, and limits on a process. */
export function failedDenials(
  failed: FailedCall & { readonly spaceLeft?: readonly SpaceLeft[] },
  sight: StartSight,
): readonly Denial[] {
  const { said, profile } = failed;
  const { limits } = profile;
  return [
    ...startDenials(failed, sight),
    ...deadLinkDenials(said, profile, sight),
    ...scratchDenials({ ...failed, spaceLeft: failed.spaceLeft ?? [], limits }),
    ...processLimitDenials({ ...failed, limits }),
  ];
}
