import type { SpaceLeft } from "../../host/launch/scratch-space.ts";
import type { Denial } from "../../policy/denial.ts";
import type { StartSight } from "../unstartable.ts";
import { deadLinkDenials } from "./dead-links.ts";
import { processLimitDenials } from "./process-limit.ts";
import { scratchDenials } from "./scratch.ts";
import { type FailedCall, startDenials } from "./start.ts";

/** Denials of a failed call: missing programs, links with missing targets, full space, and limits of a process. */
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
