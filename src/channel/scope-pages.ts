import type { Decision } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { type ScopeChoice, scopeChoices } from "../policy/scope-choices.ts";
import type { Ink } from "./ink.ts";
import type { KeyAnswer } from "./keys.ts";
import { Pager, type Pages } from "./pager.ts";
import type { Field } from "./request-text.ts";

/**
 * The answers for more than this call as pages: the digit before one gives it, once all of the pages were on the
 * screen. A request that was not seen offers only rejections.
 */
export function scopePages(request: ApprovalRequest, mayApprove: boolean, ink: Ink): Pages {
  const choices = scopeChoices(request).filter(({ yes }) => mayApprove || yes === null);
  const fields = choices.flatMap(({ label, covers, past }, index): readonly Field[] => [
    { label: `[${index + 1}] ${label}`, text: covers, manner: "lines" },
    ...past.map((text): Field => ({ label: "", text, manner: "line" })),
  ]);
  const { notOffered } = request;
  const why: readonly Field[] =
    notOffered === undefined ? [] : [{ label: "not for the project", text: notOffered, manner: "lines" }];
  return {
    pager: new Pager("cofferdam: answers for more than this call", [...fields, ...why], ink),
    grants: [],
    choices,
    isAllOfIt: false,
  };
}

/** The decision of a key under a request. */
export function keyDecision(answer: KeyAnswer, by: string): Decision {
  return answer === "no" ? { status: "rejected", by } : { status: "approved", scope: answer, by };
}

/** The decision of a choice. */
export function decisionOf({ yes }: ScopeChoice, by: string): Decision {
  return yes === null ? { status: "rejected", scope: "session", by } : { status: "approved", ...yes, by };
}

/** The choices for a message or a form that has room for few: those of a wider cover, and a rejection that lasts. */
export function fewChoices(request: ApprovalRequest): readonly ScopeChoice[] {
  if (request.offers === undefined) return [];
  const few: readonly ScopeChoice["name"][] = ["similar", "similar-timed", "project", "rejected"];
  return scopeChoices(request).filter(({ name }) => few.includes(name));
}
