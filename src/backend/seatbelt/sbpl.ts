/** An array that holds something: a filter without alternatives would hold for everything. */
type Some<T> = readonly [T, ...T[]];

/** A condition of a rule, as the sandbox profile language has it. Several texts of one filter are alternatives. */
export type Filter =
  | { readonly kind: TextFilter; readonly texts: Some<string> }
  | { readonly kind: "vnode-type" | "target"; readonly name: string }
  | { readonly kind: "require-all" | "require-any"; readonly of: Some<Filter> }
  | { readonly kind: "require-not"; readonly of: Some<Filter> };

type TextFilter = "literal" | "subpath" | "regex" | "sysctl-name" | "global-name";

/**
 * One rule. It has one filter or none: several would be alternatives, though they read like the contrary. A guarded rule
 * is about an operation that not every system has; naming an unknown one is an error of the whole profile.
 */
export interface SbplRule {
  readonly action: "allow" | "deny";
  readonly operations: Some<string>;
  readonly filter: Filter | null;
  readonly isGuarded: boolean;
}

/** The only version that others' profiles are written in; and what no rule allows is denied. */
const PREAMBLE = ["(version 1)", "(deny default)"];

/** The lines of a profile: the preamble, then one rule each. The same rules print the same text. */
export function printRules(rules: readonly SbplRule[]): readonly string[] {
  return [...PREAMBLE, ...rules.map(printRule)];
}

/** One rule on one line. */
export function printRule({ action, operations, filter, isGuarded }: SbplRule): string {
  const rule = `(${[action, ...operations, ...(filter === null ? [] : [printFilter(filter)])].join(" ")})`;
  return isGuarded ? `(if (defined? '${operations[0]}) ${rule})` : rule;
}

/** A text as the profile holds it, quotes included: the form in which a backslash escapes. */
export function quoteText(text: string): string {
  return `"${text.replace(/["\\]/g, (character) => `\\${character}`)}"`;
}

/** Holds where one of them does. */
export function anyOf(filters: Some<Filter>): Filter {
  return filters.length === 1 ? filters[0] : { kind: "require-any", of: filters };
}

/** Holds where all of them do. */
export function allOf(filters: Some<Filter>): Filter {
  return filters.length === 1 ? filters[0] : { kind: "require-all", of: filters };
}

/** Holds where the filter does not. */
export function not(filter: Filter): Filter {
  return { kind: "require-not", of: [filter] };
}

/** Every text in the filter, in the order of its print. */
export function textsOf(filter: Filter): readonly string[] {
  if ("texts" in filter) return filter.texts;
  return "of" in filter ? filter.of.flatMap(textsOf) : [];
}

function printFilter(filter: Filter): string {
  if ("name" in filter) return `(${filter.kind} ${filter.name})`;
  const parts = "texts" in filter ? filter.texts.map(quoteText) : filter.of.map(printFilter);
  return `(${filter.kind} ${parts.join(" ")})`;
}
