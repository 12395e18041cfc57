import { z } from "zod";
import { JsonData } from "./json-data.ts";

/** The reach of an approval: this one call, or every call like it until the session ends. */
export const Scope = z.enum(["once", "session"]);
export type Scope = z.infer<typeof Scope>;

/** The name of the person or program that answered. */
export const Who = z.string().min(1).max(256);

/** A comment of the person who answered. */
export const Note = z.string().max(16_384);

/**
 * The answer to a request, or a missing answer. `by` names a person, a program, or `nobody`. `editedInput` is the input
 * that replaces the requested one; it is judged again.
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
