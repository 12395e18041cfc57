import { z } from "zod";
import { CofferdamError } from "../errors.ts";
import { having } from "../policy/options.ts";
import type { DefinedTool } from "./define-tool.ts";

const WHAT =
  "a list of tools from `defineTool`; make one of another library's tool: `defineTool({ name, risk, input: SCHEMA, run: ({ input }) => CALL })`";

/** Schema of a list of tools, for callers in JavaScript, and for tools that were made for another library. */
export const DEFINED_TOOLS = z.array(having(WHAT, "use"), { error: WHAT });

/** Throws `USAGE` for a list that `guard` does not take. */
export function assertDefinedTools(given: readonly DefinedTool[]): void {
  if (!DEFINED_TOOLS.safeParse(given).success)
    throw new CofferdamError("USAGE", "`guard` got tools that `defineTool` did not make", {
      hint: `pass ${WHAT}`,
    });
}
