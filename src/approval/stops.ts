import type { Decision } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { RuleHit } from "../policy/rule-hit.ts";
import type { StoredRequest } from "../store/store.ts";
import type { Passage } from "./question.ts";
import type { Wait } from "./wait.ts";

/** Why a call does not run, or not yet. */
export type Stop = Exclude<Passage<never>, { readonly kind: "permitted" }>;
export type Denied = Extract<Stop, { readonly kind: "denied" }>;
type Refused = Exclude<Decision, { readonly status: "approved" }>;

/** Who says no where there is nobody to ask. */
export const NOBODY = "nobody";
export const ASK_AGAIN = "ask for something else, or run it again to be asked again";

/** What helps against a deny, by who said it. */
export const REMEDIES: Readonly<Record<RuleHit["layer"], string>> = {
  operator: "only whoever wrote the operator's profile can allow it",
  project: "change the rule of the config, if it is meant",
  agent: "change the agent's rule in the config, if it is meant",
  tool: "no yes lifts it: what the config or a profile says of it would have to change",
  risk: "a rule of the config would have to allow it",
  mode: "run it where a person can be asked",
  grant: ASK_AGAIN,
  caller: ASK_AGAIN,
};

export function denied(code: Denied["code"], reason: string, hint: string): Denied {
  return { kind: "denied", code, reason, hint };
}

/** Nobody has answered yet. */
export function pending({
  approvalId,
  reason,
}: ApprovalRequest): Extract<Stop, { readonly kind: "pending" }> {
  const hint = "call it again with this `approvalId` once there is an answer";
  return { kind: "pending", approvalId, reason, hint };
}

/** Somebody said no, or nobody said anything in time. */
export function refused(request: ApprovalRequest, decision: Refused, onTimeout: Wait["onTimeout"]): Denied {
  if (decision.status === "rejected")
    return denied(
      "APPROVAL_DENIED",
      whyNot(request, decision),
      decision.by === NOBODY ? REMEDIES.mode : ASK_AGAIN,
    );
  return onTimeout === "deny"
    ? denied("APPROVAL_DENIED", "nobody answered in time", ASK_AGAIN)
    : denied("APPROVAL_TIMEOUT", "nobody answered in time", "try again when somebody is there");
}

/** A yes holds for one run, and that has been, or is. */
export function used({ status }: Pick<StoredRequest, "status">): Denied {
  const what = status === "executing" ? "is being used" : "was used already";
  return denied("APPROVAL_DENIED", `this approval ${what}`, ASK_AGAIN);
}

/** Why a request that was left open runs nothing now; null for one that was approved and waits to be run. */
export function stopOf(
  { request, decision, status }: StoredRequest,
  onTimeout: Wait["onTimeout"],
): Stop | null {
  switch (status) {
    case "pending":
      return pending(request);
    case "rejected":
    case "expired":
      return refused(
        request,
        decision === null || decision.status === "approved" ? { status: "expired" } : decision,
        onTimeout,
      );
    case "approved":
      return null;
    case "executing":
    case "done":
    case "failed":
      return used({ status });
  }
}

function whyNot({ reason }: ApprovalRequest, { by, note }: Extract<Refused, { status: "rejected" }>): string {
  if (by === NOBODY) return `${reason}, and ${note ?? "nobody answered"}`;
  return note ?? `${by} said no`;
}
