import { giveUp, refuse } from "./fault.ts";
import { type NameKind, SPECS, type Spec, UNANSWERED } from "./filter-table.ts";
import { type Regex, regexOf } from "./match-regex.ts";
import { isPartOf } from "./operations.ts";
import { type PathSet, pathSet } from "./path-sets.ts";
import type { Target, Vnode } from "./query.ts";
import type { Expression } from "./read.ts";
import { type EndFilter, hostAndPort } from "./socket-ends.ts";
import { type StringContext, stringOf } from "./strings.ts";

/** One condition of a rule, with the strings of the text made. */
export type Filter =
  | { readonly kind: "all" | "any"; readonly line: number; readonly of: readonly Filter[] }
  | { readonly kind: "not"; readonly line: number; readonly of: Filter }
  | { readonly kind: "path"; readonly line: number; readonly name: string; readonly paths: PathSet }
  | { readonly kind: "path-regex"; readonly line: number; readonly regexes: readonly Regex[] }
  | { readonly kind: "vnode-type"; readonly line: number; readonly is: Vnode }
  | { readonly kind: "target"; readonly line: number; readonly is: Target }
  | {
      readonly kind: "name";
      readonly line: number;
      readonly name: string;
      readonly how: NameKind;
      readonly names: readonly string[];
      readonly regexes: readonly Regex[];
    }
  | { readonly kind: "socket"; readonly line: number; readonly field: "domain" | "type"; readonly is: string }
  | { readonly kind: "socket-protocol" | "command"; readonly line: number; readonly is: number }
  | (EndFilter & { readonly line: number })
  /** Without any filter in `of` it holds for every unix socket. */
  | {
      readonly kind: "unix-socket";
      readonly line: number;
      readonly end: "local" | "remote";
      readonly of: readonly Filter[];
    };

/** The filter of an expression, which is to hold for `operations`. */
export function filterOf(
  expression: Expression,
  operations: readonly string[],
  strings: StringContext,
): Filter {
  const { line } = expression;
  if (expression.kind !== "list") return refuse(line, "what stands for a filter is none");
  const [head, ...rest] = expression.items;
  if (head?.kind !== "symbol") return refuse(line, "a filter without a name");
  const filters = () => rest.map((one) => filterOf(one, operations, strings));
  switch (head.name) {
    case "require-all":
    case "require-any":
      if (rest.length === 0) return refuse(line, `an empty \`${head.name}\``);
      return { kind: head.name === "require-all" ? "all" : "any", line, of: filters() };
    case "require-not": {
      const [of, ...others] = filters();
      if (of === undefined) return refuse(line, "an empty `require-not`");
      return others.length === 0
        ? { kind: "not", line, of }
        : giveUp(line, "`require-not` with several filters");
    }
    case "local":
    case "remote":
      return endFilter(head.name, rest, { line, operations, strings });
    case "param":
      return refuse(line, "`param` in the place of a filter: illegal argument");
    default: {
      if (UNANSWERED.has(head.name)) return giveUp(line, `the filter \`${head.name}\``);
      const spec = SPECS.get(head.name) ?? refuse(line, `unbound variable: ${head.name}`);
      checkOperations(head.name, mayHave(spec), operations, line);
      return simpleFilter(head.name, spec, rest, { line, operations, strings });
    }
  }
}

interface Place {
  readonly line: number;
  readonly operations: readonly string[];
  readonly strings: StringContext;
}

function simpleFilter(name: string, spec: Spec, rest: readonly Expression[], place: Place): Filter {
  const { line } = place;
  switch (spec.takes) {
    case "paths":
    case "path-regex":
    case "names":
      return stringFilter(name, spec, rest, place);
    case "socket-protocol":
    case "command":
      return { kind: spec.takes, line, is: numberOf(name, rest, line) };
    case "vnode-type":
      return { kind: "vnode-type", line, is: symbolOf(name, spec.values, rest, line) };
    case "target":
      return { kind: "target", line, is: symbolOf(name, spec.values, rest, line) };
    case "socket":
      return { kind: "socket", line, field: spec.field, is: symbolOf(name, spec.values, rest, line) };
  }
}

function numberOf(name: string, [only, ...more]: readonly Expression[], line: number): number {
  if (only?.kind !== "number" || more.length > 0)
    return giveUp(line, `\`${name}\` of anything but one number`);
  return only.value;
}

function symbolOf<Name extends string>(
  name: string,
  values: readonly Name[],
  [only, ...more]: readonly Expression[],
  line: number,
): Name {
  const given = only?.kind === "symbol" && more.length === 0 ? only.name : "";
  return (
    values.find((one) => one === given) ??
    giveUp(line, `\`${name}\` of anything but one of ${values.join(", ")}`)
  );
}

function stringFilter(
  name: string,
  spec: Extract<Spec, { takes: "paths" | "path-regex" | "names" }>,
  rest: readonly Expression[],
  { line, strings }: Place,
): Filter {
  if (rest.length === 0) giveUp(line, `\`${name}\` without what it compares with`);
  const texts = rest.map((one) => stringOf(one, strings));
  switch (spec.takes) {
    case "paths":
      for (const text of texts) {
        if (!text.startsWith("/")) refuse(line, `\`${name}\` of \`${text}\`, which is no absolute path`);
      }
      return { kind: "path", line, name, paths: pathSet(spec.relation, texts) };
    case "path-regex":
      return { kind: "path-regex", line, regexes: texts.map((text) => regexOf(text, line)) };
    case "names": {
      const regexes = spec.how === "regex" ? texts.map((text) => regexOf(text, line)) : [];
      if (texts.includes("")) giveUp(line, `\`${name}\` of nothing`);
      return { kind: "name", line, name, how: spec.how, names: texts, regexes };
    }
  }
}

const IP_ENDS = {
  local: ["network*", "network-outbound", "network-inbound", "network-bind"],
  remote: ["network*", "network-outbound"],
};
const UNIX_ENDS = {
  local: ["network*", "network-inbound", "network-bind"],
  remote: ["network*", "network-outbound"],
};
const UNIX_PATHS = new Map([
  ["path-literal", "literal"],
  ["path-regex", "regex"],
]);

function endFilter(end: "local" | "remote", rest: readonly Expression[], place: Place): Filter {
  const { line, operations, strings } = place;
  const [head, ...values] = rest;
  const protocol = head?.kind === "symbol" ? head.name : "";
  if (protocol === "unix-socket") {
    checkOperations(`${end} unix-socket`, (one) => UNIX_ENDS[end].includes(one), operations, line);
    return { kind: "unix-socket", line, end, of: values.map((one) => socketPath(one, place)) };
  }
  if (protocol !== "ip" && protocol !== "tcp" && protocol !== "udp")
    return giveUp(line, `\`${end} ${protocol}\``);
  checkOperations(`${end} ${protocol}`, (one) => IP_ENDS[end].includes(one), operations, line);
  const [address, ...others] = values.map((one) => stringOf(one, strings));
  if (others.length > 0) return giveUp(line, `\`${end}\` with several addresses`);
  const to = address === undefined ? { host: "*" as const, port: "*" as const } : hostAndPort(address, line);
  return { kind: "socket-end", line, end, transport: protocol, ...to };
}

/** A filter on the path of a unix socket, which has names of its own for two that are known elsewhere. */
function socketPath(expression: Expression, { line, strings }: Place): Filter {
  const [head, ...rest] = expression.kind === "list" ? expression.items : [];
  const name = head?.kind === "symbol" ? head.name : "";
  const spec = SPECS.get(UNIX_PATHS.get(name) ?? name);
  if (spec?.takes !== "paths" && spec?.takes !== "path-regex")
    return giveUp(line, `\`${name}\` on a unix socket`);
  return stringFilter(name, spec, rest, { line, operations: [], strings });
}

function checkOperations(
  name: string,
  isOn: (operation: string) => boolean,
  operations: readonly string[],
  line: number,
): void {
  for (const operation of operations) {
    if (!isOn(operation)) giveUp(line, `\`${name}\` on \`${operation}\``);
  }
}

function mayHave(spec: Spec): (operation: string) => boolean {
  return (operation) =>
    spec.on.some((one) => (one.endsWith("*") ? isPartOf(operation, one) : operation === one));
}
