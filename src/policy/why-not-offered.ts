import type { Scope } from "./decision.ts";
import type { ApprovalRequest } from "./request.ts";

/** Why a request offers no approval of this scope, in words; null if it does. */
export function whyNotOffered(
  { covers, offers = [], notOffered, demandsPerson }: ApprovalRequest,
  scope: Scope,
): string | null {
  if (scope === "once") return null;
  if (covers === null)
    return demandsPerson ? "a rule asks about this call each time" : "its session remembers no answers";
  if (scope === "session" || offers.some((one) => one.scope === scope)) return null;
  if (scope === "project") return notOffered ?? "no rules are kept here";
  return "nothing wider than this very call can be covered";
}
