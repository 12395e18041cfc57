import { z } from "zod";
import type { RequestStatus } from "./store.ts";

/** The column with the status of a request. */
export const Status = z.enum([
  "pending",
  "approved",
  "rejected",
  "expired",
  "executing",
  "done",
  "failed",
] satisfies readonly RequestStatus[]);

/** A column of text that holds JSON. */
export function jsonOf<Value>(schema: z.ZodType<Value>): z.ZodType<Value> {
  return z.string().transform(parsed).pipe(schema);
}

function parsed(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue("is not JSON");
    return z.NEVER;
  }
}
