import { giveUp, refuse } from "./fault.ts";
import type { Reading } from "./query.ts";
import type { Expression } from "./read.ts";

/** What the strings of a text depend on. */
export interface StringContext {
  readonly sharpStrings: Reading["sharpStrings"];
  /** What `sandbox-exec -D` was given. */
  readonly params: ReadonlyMap<string, string>;
}

/** The text that stands for a string: `"…"`, `#"…"`, `(param "…")` or `(string-append …)`. */
export function stringOf(expression: Expression, context: StringContext): string {
  if (expression.kind === "string") {
    return expression.isSharp && context.sharpStrings === "raw"
      ? expression.source
      : cooked(expression.source, expression.line);
  }
  const { line } = expression;
  if (expression.kind !== "list") return refuse(line, "what stands for a string is none");
  const [head, ...rest] = expression.items;
  const name = head?.kind === "symbol" ? head.name : "";
  if (name === "string-append") return rest.map((one) => stringOf(one, context)).join("");
  if (name !== "param") return giveUp(line, `a string from \`(${name} …)\``);
  const [key] = rest;
  if (key === undefined || rest.length > 1) return refuse(line, "`param` has one name");
  const asked = stringOf(key, context);
  return (
    context.params.get(asked) ??
    refuse(line, `the parameter \`${asked}\` is missing: expected pattern, got boolean`)
  );
}

/** No source says what any other escape means. */
function cooked(source: string, line: number): string {
  return source.replace(/\\(.?)/g, (whole: string, escaped: string) =>
    escaped === "\\" || escaped === '"' ? escaped : giveUp(line, `the escape \`${whole}\` in a string`),
  );
}
