import { z } from "zod";
import { thrownText } from "../errors.ts";
import { asJson, type Json } from "./canonical-json.ts";

/** Any JSON. */
export const JsonData: z.ZodType<Json> = z.json();

/** Any JSON, checked by `asJson`: the parser of `JsonData` drops a key `__proto__` without an error. */
export const ExactJson: z.ZodType<Json> = z.unknown().transform((given, context) => {
  try {
    return asJson(given);
  } catch (cause) {
    context.addIssue({ code: "custom", message: thrownText(cause) });
    return z.NEVER;
  }
});
