import { chainOf } from "./operations.ts";
import type { Rule } from "./rule.ts";

/** What counts for one operation, in the two orders that a reading may ask for. */
export interface Plan {
  /** In the order of the text, every rule on the operation or on one that it is part of, but for `default`. */
  readonly flat: readonly Rule[];
  /** In the order of the text, the rules that count where none of `flat` holds. */
  readonly defaults: readonly Rule[];
  /** The operation itself, then what it is part of, and so on. */
  readonly levels: readonly Level[];
  readonly end: "allow" | "deny";
}

/**
 * The rules on one operation: those with filters, the last of the text first, and the last of those without. A rule with
 * filters that is on a former level, too, is left out: where it is asked again it did not hold.
 */
export interface Level {
  readonly filtered: readonly Rule[];
  readonly terminal: Rule | null;
}

/** A function that makes the plan of an operation once. */
export function planner(rules: readonly Rule[], setugidIsWrite: boolean): (operation: string) => Plan {
  const plans = new Map<string, Plan>();
  return (operation) => {
    const known = plans.get(operation);
    if (known !== undefined) return known;
    const plan = planOf(rules, operation, setugidIsWrite);
    plans.set(operation, plan);
    return plan;
  };
}

function planOf(rules: readonly Rule[], operation: string, setugidIsWrite: boolean): Plan {
  const { operations, end } = chainOf(operation, setugidIsWrite);
  const isOn = (rule: Rule, some: readonly string[]) => some.some((one) => rule.operations.includes(one));
  const levels = operations.map((one, number) => {
    const own = rules.filter((rule) => isOn(rule, [one]));
    const former = operations.slice(0, number);
    return {
      filtered: own.filter((rule) => rule.filters.length > 0 && !isOn(rule, former)).toReversed(),
      terminal: own.findLast((rule) => rule.filters.length === 0) ?? null,
    };
  });
  const isDefault = (one: string) => one === "default";
  return {
    flat: rules.filter((rule) =>
      isOn(
        rule,
        operations.filter((one) => !isDefault(one)),
      ),
    ),
    defaults: rules.filter((rule) => isOn(rule, operations.filter(isDefault))),
    levels,
    end,
  };
}
