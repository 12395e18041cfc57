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
  trail.ended("pending", { reason: passage.reason });
  return { ...passage, code: "APPROVAL_PENDING" };
}
