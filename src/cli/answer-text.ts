import { keptRulesOf } from "../config/kept-rules.ts";
import { visible } from "../errors.ts";
import type { ScopeLimits } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Desk } from "../session/desk.ts";
import type { GivenReach } from "./answer-reach.ts";

const SHORT = 8;

/** The calls that an answer holds for beyond this one, and its end; null if there are none. */
export function reachInWords(
  { covers, offers = [], description }: ApprovalRequest,
  { scope, limits, isYes }: GivenReach & { readonly isYes: boolean },
  isSessionGone: boolean,
): string | null {
  if (scope === "once") return null;
  const offer = offers.find((one) => one.scope === scope);
  const end = endInWords(limits);
  if (scope === "project")
    return `and kept for this project${end === "" ? "" : ` ${end}`}: ${offer?.covers ?? ""}`;
  if (isSessionGone) return "it holds for no session: the one that asked is gone";
  const until = end === "" ? "until its session ends" : `${end} of its session`;
  if (!isYes) return `and the same call ${until}: ${covers ?? visible(description)}`;
  return scope === "session"
    ? `and the same call ${until}: ${covers ?? ""}`
    : `and similar calls ${until}: ${offer?.covers ?? ""}`;
}

/** The line that names the rule kept for an answer, once its call has kept it; null if it is not kept yet. */
export function keptInWords({ host, loaded }: Desk, { approvalId }: ApprovalRequest): string | null {
  const kept = keptRulesOf(host, loaded.config)?.read().kept ?? [];
  const rule = kept.find(({ from }) => from.includes(approvalId));
  if (rule === undefined) return null;
  const id = rule.id.slice(0, SHORT);
  return `kept as rule ${id}; drop it with \`cofferdam rules drop ${id}\``;
}

function endInWords({ minutes, uses }: ScopeLimits): string {
  const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  return [
    ...(minutes === undefined ? [] : [`for ${counted(minutes, "minute")}`]),
    ...(uses === undefined ? [] : [`for ${counted(uses, "more call")}`]),
  ].join(" and ");
}
