import type { Profile } from "./compile.ts";
import { holds } from "./match-filter.ts";
import type { Plan } from "./plan.ts";
import type { Query, Reading } from "./query.ts";
import { type Question, questionOf } from "./question.ts";
import type { Rule } from "./rule.ts";

/** What a system says to a query, and the rule that says it; null when no rule does. */
export interface Decision {
  readonly allowed: boolean;
  readonly rule: Rule | null;
}

/**
 * What a profile says to a query under a reading. A rule on `default` counts where no other holds, wherever it stands:
 * the Apple Sandbox Guide of 2011 says so, and without it a profile that begins with `(deny default)` would allow nothing
 * under `first`. The reading must have the `sharpStrings` and the `knows` with which the
 * profile was compiled. It throws when the query's operation is none.
 */
export function decide(profile: Profile, query: Query, reading: Reading): Decision {
  const plan = profile.planFor(query.operation);
  const rule = decider(plan, questionOf(query, reading), reading.precedence);
  return { allowed: (rule?.action ?? plan.end) === "allow", rule };
}

function decider(plan: Plan, question: Question, precedence: Reading["precedence"]): Rule | null {
  const isMet = (rule: Rule) =>
    rule.filters.length === 0 || rule.filters.some((filter) => holds(filter, question));
  switch (precedence) {
    case "first":
      return plan.flat.find(isMet) ?? plan.defaults.at(0) ?? null;
    case "last":
      return plan.flat.findLast(isMet) ?? plan.defaults.at(-1) ?? null;
    case "specific":
      for (const { filtered, terminal } of plan.levels) {
        const rule = filtered.find(isMet) ?? terminal;
        if (rule !== null) return rule;
      }
      return null;
  }
}
