import type { Decision } from "./decision.ts";
import type { ApprovalRequest } from "./request.ts";

/** The decision as far as the request offered it: a scope that it did not offer is none. */
export function asOffered({ covers, offers = [] }: ApprovalRequest, given: Decision): Decision {
  if (given.status !== "approved" || given.scope === "once") return given;
  const { limits: _, ...once } = { ...given, scope: "once" as const };
  if (given.scope === "session") return covers === null ? once : given;
  return offers.some(({ scope }) => scope === given.scope) ? given : once;
}
