import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { holdsMoreThan } from "../policy/json-size.ts";
import { suggestion } from "../policy/nearest.ts";
import { placeOf } from "../policy/options.ts";
import { keysAt } from "../policy/schema-keys.ts";

/** Maximum of values in an input: checking more of them would block all other work. */
const MAX_VALUES = 10_000;
/** Maximum length of the reported fault: a schema names every unknown argument. */
const MAX_LISTED = 500;

/** Throws `USAGE` for an input that is too large to check. */
export function assertWorthChecking(tool: string, given: unknown, hint: string): void {
  if (!holdsMoreThan(MAX_VALUES, given)) return;
  const message = `the arguments of ${visible(tool)} have more than ${MAX_VALUES} values`;
  throw new CofferdamError("USAGE", message, { hint });
}

/** The error for an invalid input of a tool (`USAGE`): an unknown key, or else its first fault and where. */
export function wrongInput(tool: string, error: z.ZodError, schema: z.ZodType, hint: string): CofferdamError {
  const [issue] = error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : ` at ${placeOf(issue.path)}`;
  const message = `invalid arguments of ${visible(tool)}${place}: ${(issue?.message ?? "").slice(0, MAX_LISTED)}`;
  return unknownKeyIn(tool, error, schema, hint) ?? new CofferdamError("USAGE", message, { hint });
}

/** The error for a key that the schema does not have; null if there is none. */
export function unknownKeyIn(
  tool: string,
  { issues }: z.ZodError,
  schema: z.ZodType,
  hint: string,
): CofferdamError | null {
  const path = unknownKeys(issues).find(
    (one) => keysAt(schema, one.slice(0, -1))?.includes(String(one.at(-1))) === false,
  );
  if (path === undefined) return null;
  const known = keysAt(schema, path.slice(0, -1)) ?? [];
  const message = `unknown key ${placeOf(path)} in the arguments of ${visible(tool)}`;
  const all = known.length === 0 ? hint : `the keys are ${known.join(", ")}; ${hint}`;
  return new CofferdamError("USAGE", message, { hint: suggestion(String(path.at(-1)), known) ?? all });
}

type KeyPath = readonly PropertyKey[];

/** The keys that no object has there, or that one alternative of a union does not have. */
function unknownKeys(issues: readonly z.core.$ZodIssue[], above: KeyPath = []): readonly KeyPath[] {
  return issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    if (issue.code === "invalid_union") return issue.errors.flatMap((one) => unknownKeys(one, path));
    return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [];
  });
}
