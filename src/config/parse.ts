import type { z } from "zod";
import { CofferdamError, type Position, visible } from "../errors.ts";
import { suggestion } from "../policy/nearest.ts";
import { keysAt } from "../policy/schema-keys.ts";
import { pathKey, positionAt, type YamlFile, type YamlPath } from "./yaml.ts";

/**
 * The file's data under a schema. Throws the file's code at the first invalid key or value, in the order of the file:
 * the value found, and as hint the valid ones; "and N more" counts the rest.
 */
export function parseData<Schema extends z.ZodType>(schema: Schema, yaml: YamlFile): z.output<Schema> {
  const parsed = schema.safeParse(yaml.data);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .flatMap((issue) => problemsOf(issue, [], schema, yaml))
    .sort(byPosition);
  const [first] = problems;
  if (first === undefined)
    throw new CofferdamError("INTERNAL", "the schema reported no issue for invalid data");
  const more = problems.length === 1 ? "" : `, and ${problems.length - 1} more`;
  throw new CofferdamError(yaml.code, `${first.message}${more}`, { hint: first.hint(), at: first.at });
}

const IN_QUOTES = "put it in quotes";

interface Problem {
  readonly message: string;
  /** Computed only for the reported problem: a file may have thousands. */
  readonly hint: () => string;
  readonly at: Position;
}

type Issue = z.core.$ZodIssue;

function byPosition(a: Pick<Problem, "at">, b: Pick<Problem, "at">): number {
  return a.at.line - b.at.line || a.at.column - b.at.column;
}

function problemsOf(issue: Issue, above: YamlPath, schema: z.ZodType, yaml: YamlFile): readonly Problem[] {
  const path = [...above, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key, path, schema, yaml));
  if (issue.code === "invalid_key") return [badKey(issue, path, yaml)];
  if (issue.code === "invalid_union") {
    const meant = meantBranch(issue.errors);
    if (meant !== null) return meant.flatMap((inner) => problemsOf(inner, path, schema, yaml));
  }
  const found = valueAt(yaml.data, path);
  if (found === undefined) {
    const [folder, name] = [path.slice(0, -1), String(path.at(-1))];
    return [
      {
        message: `missing key ${visible(name)} in ${printPlace(folder)}`,
        hint: () => `add \`${name}\`: ${wanted(issue, found)}`,
        at: positionAt(yaml, folder),
      },
    ];
  }
  const at = positionAt(yaml, path, "value");
  const hint = (): string => {
    const first = wanted(issue, found);
    return first.startsWith(IN_QUOTES) ? (inQuotes(found, path, at, schema, yaml) ?? first) : first;
  };
  return [{ message: `invalid ${printPlace(path)}: ${printFound(found)}`, hint, at }];
}

/** The fault of a number or a `true` once it is in quotes: advice to add quotes first would lead to the next error. */
function inQuotes(
  found: unknown,
  path: YamlPath,
  at: Position,
  schema: z.ZodType,
  yaml: YamlFile,
): string | null {
  const data = replaced(yaml.data, path, String(found));
  const issues = schema.safeParse(data).error?.issues ?? [];
  const next = issues
    .flatMap((issue) => problemsOf(issue, [], schema, { ...yaml, data }))
    .find((problem) => byPosition(problem, { at }) === 0);
  return next?.hint() ?? null;
}

/** A copy of the data with another value at a path. */
function replaced(data: unknown, [head, ...rest]: YamlPath, value: unknown): unknown {
  if (head === undefined) return value;
  if (Array.isArray(data))
    return data.map((one: unknown, at): unknown => (at === head ? replaced(one, rest, value) : one));
  if (typeof data !== "object" || data === null) return data;
  return { ...data, [head]: replaced(Reflect.get(data, head), rest, value) };
}

function unknownKey(key: string, path: YamlPath, schema: z.ZodType, yaml: YamlFile): Problem {
  return {
    message: `unknown key ${visible(key)} in ${printPlace(path)}`,
    hint: () => {
      const known = keysAt(schema, path) ?? [];
      return suggestion(key, known) ?? `the keys here are ${known.join(", ")}`;
    },
    at: positionAt(yaml, [...path, key]),
  };
}

function badKey(issue: z.core.$ZodIssueInvalidKey, path: YamlPath, yaml: YamlFile): Problem {
  const [inner] = issue.issues;
  const name = String(path.at(-1));
  return {
    message: `invalid key ${visible(name)} in ${printPlace(path.slice(0, -1))}`,
    hint: () => (inner === undefined ? "choose another name" : wanted(inner, name)),
    at: positionAt(yaml, path),
  };
}

/** The one alternative of a union that fits this kind of value; null if none or several do. */
function meantBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const fitting = branches.filter(
    (issues) =>
      !issues.some(
        (one) => one.path.length === 0 && (one.code === "invalid_type" || one.code === "invalid_value"),
      ),
  );
  const [only] = fitting;
  return fitting.length === 1 && only !== undefined ? only : null;
}

function wanted(issue: Issue, found: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.startsWith("Invalid input") ? wantedType(issue.expected, found) : issue.message;
    case "invalid_value": {
      const near = typeof found === "string" ? suggestion(found, issue.values.map(String)) : null;
      return near ?? `write ${anyOf(issue.values.map((value) => `\`${String(value)}\``))}`;
    }
    case "invalid_union":
      if (issue.message !== "Invalid input") return issue.message;
      return [
        ...new Set(issue.errors.flatMap((branch) => branch.slice(0, 1).map((one) => wanted(one, found)))),
      ].join(", or ");
    case "too_small":
      return issue.origin === "number" ? `write ${issue.minimum} or more` : "write a longer value";
    case "too_big":
      if (issue.origin === "array") return `write at most ${issue.maximum} entries`;
      return issue.origin === "number" ? `write ${issue.maximum} or less` : "write a shorter value";
    case "invalid_format":
      return issue.message.startsWith("Invalid")
        ? `it must match ${issue.pattern ?? issue.format}`
        : issue.message;
    case "not_multiple_of":
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return issue.message;
  }
}

function anyOf(values: readonly string[]): string {
  const [last, ...others] = values.toReversed();
  return others.length === 0 ? (last ?? "") : `${others.reverse().join(", ")} or ${last}`;
}

function wantedType(expected: string, found: unknown): string {
  switch (expected) {
    case "string":
      return typeof found === "number" || typeof found === "boolean"
        ? `${IN_QUOTES}: "${found}"`
        : "write a string";
    case "boolean":
      return "write `true` or `false`";
    case "array":
      return "write a list: `[…]`, or lines that begin with `- `";
    case "object":
    case "record":
      return "write keys and values: `{ key: value }`, or indented lines";
    case "number":
    case "int":
      return "write a whole number";
    default:
      return `write a value of type ${expected}`;
  }
}

function printPlace(path: YamlPath): string {
  return path.length === 0 ? "the file" : visible(pathKey(path));
}

/** Unquoted text that YAML parses as a number, a boolean or null. */
const OTHER_VALUE = /^(?:[-+.]?[\d.]+|true|false|null|)$/i;

function printFound(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string": {
      const text = visible(value.length > 60 ? `${value.slice(0, 60)}…` : value);
      // Without quotes it would be another value.
      return OTHER_VALUE.test(value) ? `the text ${text}` : text;
    }
    case "number":
      return `the number \`${value}\``;
    case "boolean":
      return `\`${value}\``;
    default:
      return "keys and values";
  }
}

function valueAt(data: unknown, path: YamlPath): unknown {
  let at = data;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}
