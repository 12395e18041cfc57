import { z } from "zod";
import { JsonData } from "./json-data.ts";

/** How far a yes reaches: this one call, or every call like it until the session ends. */
export const Scope = z.enum(["once", "session"]);
export type Scope = z.infer<typeof Scope>;

/**
 * What a person answered, or that nobody did. `by` names who: a person, a program, `nobody`. `editedInput` is what shall
 * run in place of what was asked about; it is judged again.
 */
export const Decision = z
  .discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("approved"),
      scope: Scope,
      by: z.string().min(1),
      note: z.string().optional(),
      editedInput: JsonData.optional(),
    }),
    z.strictObject({ status: z.literal("rejected"), by: z.string().min(1), note: z.string().optional() }),
    z.strictObject({ status: z.literal("expired") }),
  ])
  .readonly();
export type Decision = z.infer<typeof Decision>;
