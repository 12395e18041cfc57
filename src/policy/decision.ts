import { z } from "zod";
import { JsonData } from "./json-data.ts";

/** How far a yes reaches: this one call, or every call like it until the session ends. */
export const Scope = z.enum(["once", "session"]);
export type Scope = z.infer<typeof Scope>;

/** Who answered. */
export const Who = z.string().min(1).max(256);

/** What they said besides. */
export const Note = z.string().max(16_384);

/**
 * What a person answered, or that nobody did. `by` names who: a person, a program, `nobody`. `editedInput` is what shall
 * run in place of what was asked about; it is judged again.
 */
export const Decision = z
  .discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("approved"),
      scope: Scope,
      by: Who,
      note: Note.optional(),
      editedInput: JsonData.optional(),
    }),
    z.strictObject({ status: z.literal("rejected"), by: Who, note: Note.optional() }),
    z.strictObject({ status: z.literal("expired") }),
  ])
  .readonly();
export type Decision = z.infer<typeof Decision>;
