import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { holdsMoreThan } from "../policy/json-size.ts";

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

/** The error for an invalid input of a tool (`USAGE`): its first fault, and where. */
export function wrongInput(tool: string, { issues: [issue] }: z.ZodError, hint: string): CofferdamError {
  const path = issue?.path.map(String).join(".") ?? "";
  const place = path === "" ? "" : ` at ${visible(path)}`;
  return new CofferdamError(
    "USAGE",
    `invalid arguments of ${visible(tool)}${place}: ${(issue?.message ?? "").slice(0, MAX_LISTED)}`,
    {
      hint,
    },
  );
}
