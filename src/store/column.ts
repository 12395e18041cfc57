import { z } from "zod";
import type { RequestStatus } from "./store.ts";

/** The column that says where a request is in its life. */
export const Status = z.enum([
  "pending",
  "approved",
  "rejected",
  "expired",
  "executing",
  "done",
  "failed",
] satisfies readonly RequestStatus[]);

/** A column of text that is the JSON of something. */
export function jsonOf<Value>(schema: z.ZodType<Value>): z.ZodType<Value> {
  return z.string().transform(parsed).pipe(schema);
}

function parsed(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue("is no JSON");
    return z.NEVER;
  }
}
