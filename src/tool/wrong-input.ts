import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { holdsMoreThan } from "../policy/json-size.ts";

/** No tool of ours takes so many values: to check each of them would hold up everything else. */
const MAX_VALUES = 10_000;
/** So much of what is wrong is told: a schema names every argument that it does not know. */
const MAX_TOLD = 500;

/** Throws `USAGE` for an input that is not worth checking. */
export function assertWorthChecking(tool: string, given: unknown, hint: string): void {
  if (!holdsMoreThan(MAX_VALUES, given)) return;
  const message = `${visible(tool)} does not take more than ${MAX_VALUES} values`;
  throw new CofferdamError("USAGE", message, { hint });
}

/** The error for an input that a tool's schema does not take (`USAGE`): the first thing that is wrong with it, and where. */
export function wrongInput(tool: string, { issues: [issue] }: z.ZodError, hint: string): CofferdamError {
  const path = issue?.path.map(String).join(".") ?? "";
  const place = path === "" ? "" : ` at ${visible(path)}`;
  return new CofferdamError(
    "USAGE",
    `${visible(tool)} does not take these arguments${place}: ${(issue?.message ?? "").slice(0, MAX_TOLD)}`,
    {
      hint,
    },
  );
}
