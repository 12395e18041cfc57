import { SPECS } from "./filter-table.ts";
import { isAlwaysKnown } from "./operations.ts";
import type { Expression } from "./read.ts";

/** One place that a lint names. */
export interface Found {
  readonly line: number;
  readonly what: string;
}

/** How long a text may be, in bytes: a budget of our own, far from where compiling fails. */
export const MAX_TEXT_BYTES = 256 * 1024;
/** How long a string may be, in bytes: the system takes 1,025, and a path may still grow. */
export const MAX_SAFE_STRING_BYTES = 900;

/** The lints that look at a text as it stands, each by its name. */
export const TEXT_LINTS: Readonly<Record<string, (text: string) => readonly Found[]>> = {
  "long-text": (text) =>
    text.length > MAX_TEXT_BYTES ? [{ line: 1, what: `${text.length} bytes of text` }] : [],

  "not-ascii": (text) =>
    text
      .split("\n")
      .flatMap((line, index) => (/^[ -~]*$/.test(line) ? [] : [{ line: index + 1, what: visible(line) }])),
};

/** The lints that look at the expressions of a text, whatever the reading makes of them. */
export const EXPRESSION_LINTS: Readonly<Record<string, (forms: readonly Expression[]) => readonly Found[]>> =
  {
    "sharp-string": (forms) =>
      strings(forms).flatMap(({ line, source, isSharp }) =>
        isSharp ? [{ line, what: `#"${source}"` }] : [],
      ),

    "long-string": (forms) =>
      strings(forms).flatMap(({ line, source }) =>
        source.length > MAX_SAFE_STRING_BYTES ? [{ line, what: `${source.length} bytes` }] : [],
      ),

    import: (forms) =>
      lists(forms).flatMap(({ line, head }) => (head === "import" ? [{ line, what: head }] : [])),

    "empty-filter": (forms) =>
      lists(forms).flatMap(({ line, head, rest }) =>
        rest.length === 0 && (SPECS.has(head) || head.startsWith("require-")) ? [{ line, what: head }] : [],
      ),

    unsandboxed: (forms) =>
      lists(forms).flatMap(({ line, head, rest }) =>
        head === "with"
          ? rest.flatMap((one) =>
              one.kind === "symbol" && ESCAPES.has(one.name) ? [{ line, what: one.name }] : [],
            )
          : [],
      ),

    "unguarded-operation": (forms) => forms.flatMap((form) => unguarded(form, new Set())),
  };

/** Modifiers that let a process out, or that do more than to decide. */
const ESCAPES = new Set(["no-sandbox", "send-signal"]);

function unguarded(form: Expression, guarded: ReadonlySet<string>): readonly Found[] {
  if (form.kind !== "list") return [];
  const [head, ...rest] = form.items;
  const name = head?.kind === "symbol" ? head.name : "";
  if (name === "allow" || name === "deny") {
    return rest.flatMap((item) =>
      item.kind === "symbol" && !isAlwaysKnown(item.name) && !guarded.has(item.name)
        ? [{ line: item.line, what: item.name }]
        : [],
    );
  }
  const [condition, then, ...others] = rest;
  const asked = condition?.kind === "list" ? condition.items[1] : undefined;
  if (then === undefined || asked?.kind !== "quoted") return [];
  const inside = new Set([...guarded, asked.name]);
  return [
    ...unguarded(then, inside),
    ...others.flatMap((other) => unguarded(other, name === "when" ? inside : guarded)),
  ];
}

function everyExpression(forms: readonly Expression[]): readonly Expression[] {
  return forms.flatMap((form) => (form.kind === "list" ? [form, ...everyExpression(form.items)] : [form]));
}

function strings(forms: readonly Expression[]) {
  return everyExpression(forms).flatMap((one) => (one.kind === "string" ? [one] : []));
}

function lists(forms: readonly Expression[]) {
  return everyExpression(forms).flatMap((one) => {
    if (one.kind !== "list") return [];
    const [head, ...rest] = one.items;
    return head?.kind === "symbol" ? [{ line: one.line, head: head.name, rest }] : [];
  });
}

function visible(line: string): string {
  return line.replace(/[^ -~]/g, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
