import { visible } from "../errors.ts";
import { noteLine } from "../policy/call-answer.ts";
import { denied } from "../policy/not-run.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { isWrittenRule } from "../policy/rule-hit.ts";
import { isForAccess } from "../policy/shell-hits.ts";
import type { GateStop } from "./gate-result.ts";
import { BROKEN_HANDLER } from "./nobody.ts";

/** The denial after a person's no. A note that already says who rejected it stands alone. */
export function deniedByPerson(by: string, note: string | null): GateStop {
  const said = noteLine(note ?? "");
  if (said === "") return denied("person", `rejected by ${by}`);
  return denied("person", /^rejected\b/i.test(said) ? said : `rejected by ${by}: ${said}`, {
    advice: FOLLOW_NOTE,
  });
}

/** The denial if nobody could be asked, or nobody answered. */
export function deniedByNobody(request: ApprovalRequest, note: string | null): GateStop {
  return denied(
    "nobody",
    `${whyAsked(request)}, but ${note ?? "there was no answer"}`,
    nobodyHelps(request, note),
  );
}

const FOLLOW_NOTE =
  "follow the note; if it does not say what to do, ask the user. Do not repeat the call, also not in other words.";

/** The reason why a call needs approval. The description of a rule alone would read like the description of the call. */
export function whyAsked({ reason, why, tool }: ApprovalRequest): string {
  const hit = why.find((one) => one.action === "ask" && one.reason !== null && reason.startsWith(one.reason));
  return hit !== undefined && isWrittenRule(hit, tool)
    ? `${visible(hit.rule)} needs approval (${reason})`
    : reason;
}

/** The help if no person could be asked, where it is not another rule. */
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
