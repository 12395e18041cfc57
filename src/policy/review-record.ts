import { z } from "zod";

/** The beginning of a reviewer's name in records. */
export const REVIEWER_PREFIX = "reviewer:";

/** One review of a request, as it is recorded. */
export const ReviewRecord = z
  .strictObject({
    verdict: z
      .enum(["allow_once", "deny", "person", "none"])
      .describe("its answer; `person` if it left the answer to one, `none` if there was no review"),
    by: z.string().describe("`reviewer:` and the SHA-256 of the reviewer and its settings"),
    name: z.string().describe("its program, URL or name"),
    because: z.string().nullable().describe("why there was no review; null if there was one"),
    input: z.string().nullable().describe("SHA-256 of what it was asked; null if it was not asked"),
    durationMs: z.number().nonnegative().describe("milliseconds that it took"),
  })
  .readonly();
export type ReviewRecord = z.infer<typeof ReviewRecord>;
