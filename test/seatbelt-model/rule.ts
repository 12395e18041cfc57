import { giveUp, refuse } from "./fault.ts";
import { type Filter, filterOf } from "./filters.ts";
import { isOperation } from "./operations.ts";
import type { Reading } from "./query.ts";
import type { Expression } from "./read.ts";
import { type StringContext, stringOf } from "./strings.ts";
import { unitsOf } from "./units.ts";

/** One rule of a profile: what it says about which operations, when one of its filters holds or when it has none. */
export interface Rule {
  readonly action: "allow" | "deny";
  readonly operations: readonly string[];
  readonly filters: readonly Filter[];
  /** What `(with message "…")` adds to the record of a denial. */
  readonly message: string | null;
  readonly line: number;
}

/** How many bytes the strings of one rule may have: `pattern serialization length … exceeds maximum` (nix#4119). */
export const MAX_RULE_BYTES = 65_535;

/** The rule of an `allow` or a `deny`, from what follows this word. It throws a `Fault`. */
export function ruleOf(
  action: Rule["action"],
  items: readonly Expression[],
  line: number,
  knows: Reading["knows"],
  strings: StringContext,
): Rule {
  const end = items.findIndex((item) => item.kind !== "symbol");
  const names = end === -1 ? items : items.slice(0, end);
  const operations = names.flatMap((item) => (item.kind === "symbol" ? [item.name] : []));
  for (const operation of operations) {
    if (!knows(operation)) refuse(line, `unbound variable: ${operation}`);
    if (!isOperation(operation)) giveUp(line, `the operation \`${operation}\``);
  }
  if (operations.length === 0) refuse(line, `\`${action}\` without an operation`);
  let message: string | null = null;
  const filters: Filter[] = [];
  for (const item of items.slice(operations.length)) {
    if (item.kind === "symbol") refuse(item.line, `\`${item.name}\` after a filter`);
    if (isModifier(item)) message = modifierOf(item, action, strings) ?? message;
    else filters.push(filterOf(item, operations, strings));
  }
  const bytes = filters.reduce((sum, filter) => sum + bytesOf(filter), 0);
  if (bytes > MAX_RULE_BYTES)
    refuse(line, `pattern serialization length ${bytes} exceeds maximum (${MAX_RULE_BYTES})`);
  return { action, operations, filters, message, line };
}

function isModifier(item: Expression): item is Extract<Expression, { kind: "list" }> {
  const head = item.kind === "list" ? item.items[0] : undefined;
  return head?.kind === "symbol" && head.name === "with";
}

/** The message of a modifier, or null of one that only says what is recorded. */
function modifierOf(
  { items, line }: Extract<Expression, { kind: "list" }>,
  action: Rule["action"],
  strings: StringContext,
): string | null {
  const [, name, value, ...more] = items;
  const modifier = name?.kind === "symbol" ? name.name : "";
  if (modifier === "message" && value !== undefined && more.length === 0) return stringOf(value, strings);
  if (value === undefined && modifier === "no-log") return null;
  if (value !== undefined || modifier !== "report") return giveUp(line, `the modifier \`${modifier}\``);
  return action === "allow" ? null : refuse(line, "report modifier does not apply to deny action");
}

function bytesOf(filter: Filter): number {
  const sum = (texts: readonly string[]) =>
    texts.reduce((bytes, text) => bytes + unitsOf(text, "byte").length, 0);
  switch (filter.kind) {
    case "all":
    case "any":
    case "unix-socket":
      return filter.of.reduce((bytes, one) => bytes + bytesOf(one), 0);
    case "not":
      return bytesOf(filter.of);
    case "path":
      return sum(filter.paths.written);
    case "path-regex":
      return sum(filter.regexes.map((one) => one.source));
    case "name":
      return sum(filter.names);
    case "vnode-type":
    case "target":
    case "socket":
    case "socket-protocol":
    case "command":
    case "socket-end":
      return 0;
  }
}
