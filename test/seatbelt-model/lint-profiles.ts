import type { Profile } from "./compile.ts";
import { decide } from "./decide.ts";
import { leavesOf } from "./lint-rules.ts";
import type { Found } from "./lint-text.ts";
import { OUTSIDE_DEFAULT } from "./operations.ts";
import type { Reading } from "./query.ts";
import type { Rule } from "./rule.ts";

/** How many rules a profile may have: a budget of our own, far from where compiling fails. */
export const MAX_SAFE_RULES = 4_096;

/** The lints that look at a whole profile, each by its name. */
export const PROFILE_LINTS: Readonly<
  Record<string, (profile: Profile, reading: Reading) => readonly Found[]>
> = {
  "many-rules": ({ rules }) =>
    rules.length > MAX_SAFE_RULES ? [{ line: 1, what: `${rules.length} rules` }] : [],

  "default-open": ({ rules }) => {
    const defaults = rules.filter((rule) => rule.operations.includes("default"));
    const [only] = defaults;
    return defaults.length === 1 && only?.action === "deny"
      ? []
      : [{ line: only?.line ?? 1, what: "anything but one `(deny default)`" }];
  },

  /** What `(deny default)` does not cover is allowed unless it is denied by name. */
  "uncovered-operation": (profile, reading) =>
    OUTSIDE_DEFAULT.filter((operation) => reading.knows(operation))
      .filter((operation) => decide(profile, { operation, target: "others" }, reading).allowed)
      .map((what) => ({ line: 1, what })),

  /** `/tmp` is a link: the system compares with `/private/tmp`, which another deny has to name. */
  "dead-deny": ({ rules }) => {
    const denied = rules.filter(({ action }) => action === "deny").flatMap(comparisons);
    const isDenied = (text: string, { how, rule }: Comparison) =>
      denied.some((one) => one.text === text && one.how === how && coversOperations(one.rule, rule));
    return denied.flatMap((one) => {
      const live = one.text.replace(ALIAS, "$1/private/$2");
      return live === one.text || isDenied(live, one) ? [] : [{ line: one.line, what: one.text }];
    });
  },
};

const ALIAS = /^(\^?)\/((?:tmp|var|etc)(?:[^\w.-]|$))/;

interface Comparison {
  readonly rule: Rule;
  readonly line: number;
  readonly how: string;
  readonly text: string;
}

/** What a rule compares paths with, where that makes the rule hold. */
function comparisons(rule: Rule): readonly Comparison[] {
  return leavesOf(rule.filters).flatMap(({ filter, isAsserted }) => {
    const of = (how: string, texts: readonly string[]) =>
      texts.map((text) => ({ rule, line: filter.line, how, text }));
    if (!isAsserted) return [];
    if (filter.kind === "path") return of(filter.paths.relation, filter.paths.written);
    return filter.kind === "path-regex"
      ? of(
          "regex",
          filter.regexes.map((one) => one.source),
        )
      : [];
  });
}

function coversOperations(rule: Rule, other: Rule): boolean {
  return other.operations.every((operation) => rule.operations.includes(operation));
}
