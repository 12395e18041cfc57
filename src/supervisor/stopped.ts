import type { Passage } from "../approval/question.ts";
import type { Trail } from "../journal/trail.ts";
import type { Stopped } from "./outcome.ts";

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
  const { approvalId, reason } = passage;
  trail.ended("pending", { reason });
  const hint = "call it again with this `approvalId` once there is an answer";
  return { kind: "pending", code: "APPROVAL_PENDING", approvalId, reason, hint };
}
