import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { holdsMoreThan } from "../policy/json-size.ts";
import { nearest } from "../policy/nearest.ts";
import { placeOf } from "../policy/options.ts";
import { redactText } from "../policy/redact.ts";
import { keysAt } from "../policy/schema-keys.ts";
import { inputText } from "./input-text.ts";

/** Maximum of values in an input: checking more of them would block all other work. */
const MAX_VALUES = 10_000;
/** Maximum of faults that are told, and of characters of one: a schema names every unknown argument. */
const MAX_FAULTS = 8;
const MAX_FAULT_LENGTH = 300;
/** The longest part of a key that is told. */
const MAX_KEY_LENGTH = 64;

/** Throws `USAGE` for an input that is too large to check. */
export function assertWorthChecking(tool: string, given: unknown): void {
  if (!holdsMoreThan(MAX_VALUES, given)) return;
  const message = `the arguments of ${visible(tool)} have more than ${MAX_VALUES} values`;
  throw new CofferdamError("USAGE", message, { hint: "make several calls with fewer values" });
}

/**
 * The error for an invalid input of a tool (`USAGE`), for a model: every fault by the name of its field, and in the hint
 * the fields that the tool takes. `given` tells a missing field from a wrong one.
 */
export function wrongInput(
  tool: string,
  { issues }: z.ZodError,
  schema: z.ZodType,
  given: unknown,
): CofferdamError {
  const faults = faultsIn(issues, { schema, given }, []);
  const shown = faults.slice(0, MAX_FAULTS).map(({ text }) => redactText(text, MAX_FAULT_LENGTH).text);
  const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : "";
  // A fault of the whole input says itself what it is about.
  const isWhole = faults.length === 1 && faults[0]?.kind === "whole";
  const message = `${isWhole ? "" : `invalid arguments of ${visible(tool)}: `}${shown.join("; ")}${more}`;
  return new CofferdamError("USAGE", message, { hint: inputText(schema) ?? "read the tool's schema" });
}

type KeyPath = readonly PropertyKey[];

interface Fault {
  readonly kind: "missing" | "unknown" | "wrong" | "whole";
  readonly path: KeyPath;
  /** For an unknown key: the key that was meant. */
  readonly near: string | null;
  readonly text: string;
}

interface Checked {
  readonly schema: z.ZodType;
  readonly given: unknown;
}

function faultsIn(issues: readonly z.core.$ZodIssue[], checked: Checked, above: KeyPath): readonly Fault[] {
  const faults = issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    if (issue.code === "invalid_union") return unionFaults(issue, checked, path);
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => unknownKey([...path, key], checked));
    return [faultOf(issue, checked, path)];
  });
  const meant = new Set(
    faults.flatMap(({ path, near }) => (near === null ? [] : [printPath([...path.slice(0, -1), near])])),
  );
  // A key with a slip in it is not missing as well.
  return faults.filter(({ kind, path }) => kind !== "missing" || !meant.has(printPath(path)));
}

/** The faults by the alternative that fits best; if several fit as badly, what the union says of itself. */
function unionFaults(
  { errors, message }: z.core.$ZodIssueInvalidUnion,
  checked: Checked,
  path: KeyPath,
): readonly Fault[] {
  const found = errors.map((one) => faultsIn(one, checked, path)).sort((a, b) => a.length - b.length);
  const [best = [], second] = found;
  if (second === undefined || best.length < second.length) return best;
  const inAll = best.filter(({ text }) => found.every((faults) => faults.some((one) => one.text === text)));
  const kind = path.length === 0 && inAll.length === 0 ? "whole" : "wrong";
  const text = kind === "whole" || path.length === 0 ? message : `${shownPath(path)}: ${message}`;
  return [...inAll.filter((one) => one.kind === "unknown"), { kind, path, near: null, text }];
}

function unknownKey(path: KeyPath, { schema }: Checked): Fault {
  const known = keysAt(schema, path.slice(0, -1)) ?? [];
  const near = nearest(String(path.at(-1)), known);
  // The keys of the whole input are in the hint.
  const others = path.length < 2 || known.length === 0 ? "" : `, the keys there are ${known.join(", ")}`;
  const meant = near === null ? others : `, did you mean \`${near}\`?`;
  return { kind: "unknown", path, near, text: `unknown key ${shownPath(path)}${meant}` };
}

function faultOf(issue: z.core.$ZodIssue, { given }: Checked, path: KeyPath): Fault {
  const value = valueAt(given, path);
  const what = issue.code === "invalid_type" ? typeInWords(issue.expected) : null;
  if (path.length === 0)
    return issue.code === "invalid_type"
      ? { kind: "wrong", path, near: null, text: `they must be ${what}, not ${typeOf(given)}` }
      : { kind: "whole", path, near: null, text: lowerFirst(issue.message) };
  if (value === undefined) {
    const expected = what ?? (issue.code === "invalid_value" ? oneOf(issue.values) : null);
    const text = `${shownPath(path)} is missing${expected === null ? "" : ` (${expected})`}`;
    return { kind: "missing", path, near: null, text };
  }
  const must =
    what !== null
      ? ` must be ${what}, not ${typeOf(value)}`
      : issue.code === "invalid_value"
        ? ` must be ${oneOf(issue.values)}`
        : `: ${lowerFirst(issue.message)}`;
  return { kind: "wrong", path, near: null, text: `${shownPath(path)}${must}` };
}

const ARTICLES: Readonly<Record<string, string>> = {
  int: "an integer",
  array: "an array",
  object: "an object",
  record: "an object",
  null: "null",
  undefined: "left out",
  boolean: "true or false",
};

function typeInWords(type: string): string {
  return ARTICLES[type] ?? `a ${type}`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  return typeInWords(Array.isArray(value) ? "array" : typeof value);
}

function oneOf(values: readonly unknown[]): string {
  const listed = values.map((value) => JSON.stringify(value) ?? String(value));
  return listed.length === 1 ? listed.join("") : `one of ${listed.join(", ")}`;
}

function valueAt(given: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    given,
  );
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text;
}

function shownPath(path: KeyPath): string {
  return placeOf(path.map((key) => String(key).slice(0, MAX_KEY_LENGTH)));
}

function printPath(path: KeyPath): string {
  return JSON.stringify(path.map(String));
}
