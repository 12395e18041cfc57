import { z } from "zod";
import { JsonData } from "./json-data.ts";

/**
 * The reach of an approval: this one call; exactly this call until the session ends (`session`); the calls of the cover
 * that the request offers, until the session ends (`similar`) or in this project from now on (`project`).
 */
export const Scope = z.enum(["once", "session", "similar", "project"]);
export type Scope = z.infer<typeof Scope>;

/** The limits of an approval for more than one call: it ends with the time, or with the last counted call. */
export const ScopeLimits = z
  .strictObject({
    minutes: z
      .int()
      .min(1)
      .max(60 * 24 * 365)
      .exactOptional()
      .describe("minutes until it ends"),
    uses: z.int().min(1).max(1_000).exactOptional().describe("how many further calls it answers"),
  })
  .readonly();
export type ScopeLimits = z.infer<typeof ScopeLimits>;

/** The name of the person or program that answered. */
export const Who = z.string().min(1).max(256);

/** A comment of the person who answered. */
export const Note = z.string().max(16_384);

/**
 * The answer to a request, or a missing answer. `by` names a person, a program, or `nobody`. `editedInput` is the input
 * that replaces the requested one; it is judged again. `grantId` names the remembered approval that answered. A
 * rejection with a scope holds for the same call until the session ends.
 */
export const Decision = z
  .discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("approved"),
      scope: Scope,
      by: Who,
      note: Note.optional(),
      editedInput: JsonData.optional(),
      limits: ScopeLimits.exactOptional(),
      grantId: z.string().exactOptional(),
    }),
    z.strictObject({
      status: z.literal("rejected"),
      by: Who,
      note: Note.optional(),
      scope: z.literal("session").exactOptional(),
    }),
    z.strictObject({ status: z.literal("expired") }),
  ])
  .readonly();
export type Decision = z.infer<typeof Decision>;
