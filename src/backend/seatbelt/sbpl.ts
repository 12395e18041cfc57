/** A non-empty array: a filter without alternatives would hold for everything. */
export type Some<T> = readonly [T, ...T[]];

/** A text of a filter: itself, or the value of a parameter of the launcher. */
export type SbplText = string | { readonly param: string };

/** A condition of a rule in the sandbox profile language. */
export type Filter =
  | { readonly kind: TextFilter; readonly text: SbplText }
  | { readonly kind: WordFilter; readonly word: string }
  | { readonly kind: "local" | "remote"; readonly protocol: "ip" | "tcp"; readonly end: string }
  | { readonly kind: "require-all" | "require-any"; readonly of: Some<Filter> }
  | { readonly kind: "require-not"; readonly of: Some<Filter> };

type TextFilter =
  | "literal"
  | "subpath"
  | "regex"
  | "extension"
  | "global-name"
  | "sysctl-name"
  | "sysctl-name-prefix"
  | "ipc-posix-name"
  | "ipc-posix-name-regex";
type WordFilter = "vnode-type" | "target" | "socket-domain" | "socket-protocol" | "ioctl-command";

/**
 * One rule, with one filter or none: several would be alternatives. `isGuarded`: naming an operation that a system
 * lacks is an error of the whole profile. `isTold`: denials carry the call's tag in the kernel's log.
 */
export interface SbplRule {
  readonly action: "allow" | "deny";
  readonly operations: Some<string>;
  readonly filter: Filter | null;
  readonly isGuarded?: boolean;
  readonly isTold?: boolean;
}

/** Rules with a comment above them, in the order of printing. */
export interface Section {
  readonly about: readonly string[];
  readonly rules: readonly SbplRule[];
}

const WIDTH = 100;

/** The version that others' profiles use, the default deny, and the commented sections, in printable ASCII. */
export function printProfile(sections: readonly Section[], tag: string): string {
  const parts = sections
    .filter(({ rules }) => rules.length > 0)
    .map(({ about, rules }) => [
      ...about.map((line) => `; ${line}`),
      ...rules.map((rule) => printRule(rule, tag)),
    ]);
  const start = ["(version 1)", `(deny default ${printMessage(tag)})`];
  return `${[start, ...parts].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** One rule, over several lines if it is long. */
export function printRule({ action, operations, filter, isGuarded, isTold }: SbplRule, tag: string): string {
  if (isGuarded === true) {
    const each = operations.map((name) => {
      const rule = printRule(
        { action, operations: [name], filter, ...(isTold === true ? { isTold } : {}) },
        tag,
      );
      return `(if (defined? '${name}) ${rule})`;
    });
    return each.join("\n");
  }
  const head = `(${[action, ...operations].join(" ")}`;
  const items = [
    ...(filter === null ? [] : [printFilter(filter, 1)]),
    ...(isTold === true ? [printMessage(tag)] : []),
  ];
  const line = `${[head, ...items].join(" ")})`;
  if (line.length <= WIDTH && !line.includes("\n")) return line;
  return `${[head, ...items].join("\n  ")})`;
}

/** The modifier that carries a tag. No text of a filter reads so, because it has a backslash before every quote. */
export function printMessage(tag: string): string {
  return `(with message ${quoteText(tag)})`;
}

/** A text in the profile's form, quotes included: a backslash escapes in it. */
export function quoteText(text: string): string {
  return `"${text.replace(/["\\]/g, (character) => `\\${character}`)}"`;
}

/** One filter as printed in the profile, on lines indented by `depth` steps. */
export function printFilter(filter: Filter, depth = 0): string {
  if ("word" in filter) return `(${filter.kind} ${filter.word})`;
  if ("end" in filter) return `(${filter.kind} ${filter.protocol} ${quoteText(filter.end)})`;
  if ("text" in filter) return `(${filter.kind} ${printText(filter.text)})`;
  const parts = filter.of.map((one) => printFilter(one, depth + 1));
  const line = `(${[filter.kind, ...parts].join(" ")})`;
  if (2 * depth + line.length <= WIDTH && !line.includes("\n")) return line;
  return `(${[filter.kind, ...parts].join(`\n${"  ".repeat(depth + 1)}`)})`;
}

/** Holds if one of them does. */
export function anyOf(filters: Some<Filter>): Filter {
  return filters.length === 1 ? filters[0] : { kind: "require-any", of: filters };
}

/** Holds if all of them do. */
export function allOf(filters: Some<Filter>): Filter {
  return filters.length === 1 ? filters[0] : { kind: "require-all", of: filters };
}

/** Holds if the filter does not. */
export function not(filter: Filter): Filter {
  return { kind: "require-not", of: [filter] };
}

/** True for a non-empty list. */
export function isSome<T>(list: readonly T[]): list is Some<T> {
  return list.length > 0;
}

/** Every text in the filter, in the order of its print. */
export function textsOf(filter: Filter): readonly SbplText[] {
  if ("text" in filter) return [filter.text];
  return "of" in filter ? filter.of.flatMap(textsOf) : [];
}

/** The filter with replaced texts. */
export function withTexts(filter: Filter, change: (text: SbplText, kind: string) => SbplText): Filter {
  if ("of" in filter) {
    const [first, ...others] = filter.of;
    return { ...filter, of: [withTexts(first, change), ...others.map((one) => withTexts(one, change))] };
  }
  return "text" in filter ? { ...filter, text: change(filter.text, filter.kind) } : filter;
}

function printText(text: SbplText): string {
  return typeof text === "string" ? quoteText(text) : `(param ${quoteText(text.param)})`;
}
