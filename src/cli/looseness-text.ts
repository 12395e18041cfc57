import { visible } from "../errors.ts";
import type { Looseness } from "../policy/compare-demands.ts";

/** An action that one operator's demands allow and another's do not, in words. */
export function printLooseness(one: Looseness): string {
  switch (one.field) {
    case "rule": {
      const { of, text, args, action, isAsked, isCertain } = one;
      const given = args === undefined ? "" : ` with ${visible(JSON.stringify(args))}`;
      const what = of === "shell" ? `run ${visible(text)}` : `call tools named ${visible(text)}${given}`;
      const how = action === "ask" ? "without asking a person" : isAsked ? "with approval" : "at all";
      const other = action === "ask" ? "the other asks" : "denied in the other";
      return `${isCertain ? "" : "perhaps "}${what} ${how} (${other})`;
    }
    case "mode":
      return `answer requests by the mode ${visible(one.mode)}`;
    case "session grants":
      return "let an approval last for the session";
    case "budget":
      return `run more ${one.part === "calls" ? "calls" : "minutes"} before a person is asked to continue`;
    case "reviewer":
      return "let a program of the config answer requests";
    case "kept rules":
      return "let an approval be kept for a project";
    case "run as":
      return "run tools as root";
    case "appeared":
      return one.appeared === "report"
        ? "keep new files that other programs run automatically"
        : "let a person keep new files that other programs run automatically";
  }
}

/** The same as a clause of a profile, with its section. */
export function printLooseClause(one: Looseness): string {
  const section = one.field === "run as" ? "run_as" : one.field === "appeared" ? "appeared" : "approval";
  return `${section}: ${printLooseness(one)}`;
}
