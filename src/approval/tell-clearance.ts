import type { Trail } from "../journal/trail.ts";
import type { Clearance } from "./clearance.ts";

/** How the trail of a call ends that was only asked about. */
export function tellClearance(clearance: Clearance, trail: Trail): void {
  switch (clearance.kind) {
    case "allowed":
    case "approved":
      trail.ended("cleared");
      break;
    case "denied":
      trail.ended("denied", { reason: `${clearance.code}: ${clearance.reason}` });
      break;
    case "pending":
      trail.ended("pending", { reason: clearance.reason });
      break;
  }
}
