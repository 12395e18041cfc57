import type { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";

/** The error for an input that a tool's schema does not take (`USAGE`): the first thing that is wrong with it, and where. */
export function wrongInput(tool: string, { issues: [issue] }: z.ZodError, hint: string): CofferdamError {
  const path = issue?.path.map(String).join(".") ?? "";
  const place = path === "" ? "" : ` at ${visible(path)}`;
  return new CofferdamError(
    "USAGE",
    `${visible(tool)} does not take these arguments${place}: ${issue?.message ?? ""}`,
    {
      hint,
    },
  );
}
