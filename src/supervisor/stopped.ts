import type { Clearance } from "../approval/clearance.ts";
import type { Passage } from "../approval/question.ts";
import { tellClearance } from "../approval/tell-clearance.ts";
import type { Trail } from "../journal/trail.ts";
import type { CallClearance, Stopped } from "./outcome.ts";

/** What the gate did not let pass, as the outcome of a call, written down. */
export function stopped(
  passage: Exclude<Passage<unknown>, { readonly kind: "permitted" }>,
  trail: Trail,
): Stopped {
  if (passage.kind === "denied") {
    const { code, reason, hint } = passage;
    trail.ended("denied", { reason: `${code}: ${reason}` });
    return { kind: "denied", code, reason, hint };
  }
  trail.ended("pending", { reason: passage.reason });
  return { ...passage, code: "APPROVAL_PENDING" };
}

/** What was asked about, as its caller is told, written down. */
export function cleared(clearance: Clearance, trail: Trail): CallClearance {
  tellClearance(clearance, trail);
  return clearance.kind === "pending" ? { ...clearance, code: "APPROVAL_PENDING" } : clearance;
}
