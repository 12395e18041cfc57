import { denied } from "../policy/not-run.ts";
import type { StoredRequest } from "../store/store.ts";
import type { Approval, GateStop } from "./gate-result.ts";
import { NOBODY } from "./nobody.ts";
import { isDeniedByReviewer } from "./reviewed.ts";
import type { Wait } from "./wait.ts";
import { deniedByNobody, deniedByPerson, whyAsked } from "./why-not-run.ts";

/** The result for an approval whose one run has begun already. */
export const ALREADY_USED = denied("approval", "this approval was used already");

/** The approval of a request; if there is none that no run has used yet, the reason why its call does not run. */
export function approvalOf(
  { request, decision, status }: StoredRequest,
  onTimeout: Wait["onTimeout"],
): Approval | GateStop {
  const { approvalId, reason } = request;
  switch (status) {
    case "pending": {
      if (isDeniedByReviewer({ request, status }))
        return denied("reviewer", `${whyAsked(request)}, and the reviewer denied it`);
      const hint = "call it again with this `approvalId` once there is an answer";
      return { kind: "pending", code: "APPROVAL_PENDING", approvalId, reason, hint };
    }
    case "rejected": {
      const { by = NOBODY, note = null } = decision?.status === "rejected" ? decision : {};
      return by === NOBODY ? deniedByNobody(request, note) : deniedByPerson(by, note);
    }
    case "expired": {
      const more = onTimeout === "deny" ? ({ code: "APPROVAL_DENIED" } as const) : {};
      return denied("timeout", "the request was not answered in time", more);
    }
    case "approved":
      return decision?.status === status ? { kind: status, approvalId, decision, request } : ALREADY_USED;
    case "executing":
      return denied("approval", "this approval is being used");
    case "done":
    case "failed":
      return ALREADY_USED;
  }
}
