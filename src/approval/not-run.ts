import { visible } from "../errors.ts";
import { noteLine } from "../policy/call-answer.ts";
import { denied } from "../policy/not-run.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { isWrittenRule } from "../policy/rule-hit.ts";
import { isForAccess } from "../policy/shell-hits.ts";
import type { StoredRequest } from "../store/store.ts";
import type { Approval, GateStop } from "./gate-result.ts";
import { isDeniedByReviewer } from "./reviewed.ts";
import type { Wait } from "./wait.ts";

/** The name in a rejection if there was no one to ask. */
export const NOBODY = "nobody";
/** The beginning of its note if handlers failed. */
export const UNASKED = "no person could be asked: ";
/** The same if the host program's handler gave an answer that can't be read. */
export const BROKEN_HANDLER = "the program's approval handler is broken: ";

/** The result for an approval whose one run has begun already. */
export const ALREADY_USED = denied("approval", "this approval was used already");

/** The approval of a request; if there is none that no run has used yet, the reason why its call does not run. */
export function approvalOf(
  { request, decision, status }: StoredRequest,
  onTimeout: Wait["onTimeout"],
): Approval | GateStop {
  const { approvalId, reason } = request;
  const why = whyAsked(request);
  switch (status) {
    case "pending": {
      if (isDeniedByReviewer({ request, status }))
        return denied("reviewer", `${why}, and the reviewer denied it`);
      const hint = "call it again with this `approvalId` once there is an answer";
      return { kind: "pending", code: "APPROVAL_PENDING", approvalId, reason, hint };
    }
    case "rejected": {
      const { by = NOBODY, note = null } = decision?.status === "rejected" ? decision : {};
      if (by === NOBODY)
        return denied("nobody", `${why}, but ${note ?? "there was no answer"}`, nobodyHelps(request, note));
      const said = noteLine(note ?? "");
      return said === ""
        ? denied("person", `rejected by ${by}`)
        : denied("person", `rejected by ${by}: ${said}`, { advice: FOLLOW_NOTE });
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

const FOLLOW_NOTE =
  "follow the note; if it does not say what to do, ask the user. Do not repeat the call, also not in other words.";

/** Why the call needs an approval. The description of a rule alone would read like the description of the call. */
function whyAsked({ reason, why, tool }: ApprovalRequest): string {
  const hit = why.find((one) => one.action === "ask" && one.reason !== null && reason.startsWith(one.reason));
  return hit !== undefined && isWrittenRule(hit, tool)
    ? `${visible(hit.rule)} needs approval (${reason})`
    : reason;
}

/** What would help if no person could be asked, where it is not another rule. */
function nobodyHelps({ why }: ApprovalRequest, note: string | null): Parameters<typeof denied>[2] {
  if (note?.startsWith(BROKEN_HANDLER) === true)
    return {
      hint: "correct the handler in the program that makes the calls",
      advice:
        "do without it, and tell the user that the program which asks for approvals has an error. Repeating the call does not help.",
    };
  if (!why.some(isForAccess)) return {};
  return {
    hint: "run it in a terminal, open a channel under `approval.channels`, or set `write_approval: false` (for reading, `read_approval: false`) for this root: a rule alone gives it no more access",
    advice:
      "ask the user to open a way to approve calls, or to set `write_approval: false` (for reading, `read_approval: false`) for this root in the config. Repeating it helps only after that.",
  };
}

export function isRejectedByPerson(stored: Pick<StoredRequest, "decision"> | null): boolean {
  return stored?.decision?.status === "rejected" && stored.decision.by !== NOBODY;
}
