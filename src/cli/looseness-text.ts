import { visible } from "../errors.ts";
import type { Looseness } from "../policy/compare-demands.ts";

/** What one operator's demands let pass and another's do not, as what may be done then. */
export function printLooseness(one: Looseness): string {
  switch (one.field) {
    case "rule": {
      const { of, text, args, action, isAsked, isCertain } = one;
      const given = args === undefined ? "" : ` with ${visible(JSON.stringify(args))}`;
      const what = of === "shell" ? `run ${visible(text)}` : `call tools named ${visible(text)}${given}`;
      const how = action === "ask" ? "without asking a person" : isAsked ? "after a yes" : "at all";
      const other = action === "ask" ? "the other asks" : "denied in the other";
      return `${isCertain ? "" : "perhaps "}${what} ${how} (${other})`;
    }
    case "mode":
      return `answer asks by the mode ${visible(one.mode)}`;
    case "session grants":
      return "let a yes hold for the session";
    case "run as":
      return "run tools as root";
    case "appeared":
      return one.appeared === "report"
        ? "leave files that hosts execute where a call made them"
        : "have a person keep files that hosts execute and that a call made";
  }
}

/** The same as a clause of a profile, by the section that says it. */
export function printLooseClause(one: Looseness): string {
  const section = one.field === "run as" ? "run_as" : one.field === "appeared" ? "appeared" : "approval";
  return `${section}: ${printLooseness(one)}`;
}
