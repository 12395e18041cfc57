import type { StoredRequest } from "../store/store.ts";
import type { Approval, GateStop } from "./gate-result.ts";
import { isDeniedByReviewer, OVERRULE } from "./reviewed.ts";
import type { Wait } from "./wait.ts";

type Denied = Extract<GateStop, { readonly kind: "denied" }>;

/** The name in a rejection if there was no one to ask. */
export const NOBODY = "nobody";
/** The remedy of a call that no person could be asked about. */
export const NOBODY_TO_ASK = "run it in a terminal, or add a rule to the config that allows it";
export const ASK_AGAIN = "make another call, or repeat this one to ask again";

export function denied(code: Denied["code"], reason: string, hint: string): Denied {
  return { kind: "denied", code, reason, hint };
}

/** The result for an approval whose one run has begun already. */
export const ALREADY_USED = denied("APPROVAL_DENIED", "this approval was used already", ASK_AGAIN);

/** The approval of a request; if there is none that no run has used yet, the reason why its call does not run. */
export function approvalOf(
  { request, decision, status }: StoredRequest,
  onTimeout: Wait["onTimeout"],
): Approval | GateStop {
  const { approvalId, reason } = request;
  switch (status) {
    case "pending": {
      if (isDeniedByReviewer({ request, status }))
        return denied("APPROVAL_DENIED", `${reason}, and the reviewer denied it`, OVERRULE);
      const hint = "call it again with this `approvalId` once there is an answer";
      return { kind: "pending", code: "APPROVAL_PENDING", approvalId, reason, hint };
    }
    case "rejected": {
      const { by = NOBODY, note = null } = decision?.status === "rejected" ? decision : {};
      if (by !== NOBODY) return denied("APPROVAL_DENIED", note ?? `rejected by ${by}`, ASK_AGAIN);
      return denied("APPROVAL_DENIED", `${reason}, but ${note ?? "there was no answer"}`, NOBODY_TO_ASK);
    }
    case "expired": {
      const why = "the request was not answered in time";
      if (onTimeout === "deny") return denied("APPROVAL_DENIED", why, ASK_AGAIN);
      return denied("APPROVAL_TIMEOUT", why, "try again when a person can answer");
    }
    case "approved":
      return decision?.status === status ? { kind: status, approvalId, decision, request } : ALREADY_USED;
    case "executing":
      return denied("APPROVAL_DENIED", "this approval is being used", ASK_AGAIN);
    case "done":
    case "failed":
      return ALREADY_USED;
  }
}

export function isRejectedByPerson(stored: Pick<StoredRequest, "decision"> | null): boolean {
  return stored?.decision?.status === "rejected" && stored.decision.by !== NOBODY;
}
