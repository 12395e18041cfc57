import { z } from "zod";
import { CallCover } from "./cover.ts";

/** Maximum of recorded calls that are named for one offer, of each kind. */
export const MAX_NAMED_CALLS = 5;

const calls = z
  .array(z.string())
  .max(MAX_NAMED_CALLS)
  .readonly()
  .describe("some of these calls, the latest first");

/** Recorded calls of one kind: their number, and the latest of them. */
const RecordedCount = z.strictObject({ count: z.int().describe("how many calls"), calls }).readonly();

/** An approval of more than one call that a request offers: the exact cover, and what it would have done before. */
export const ScopeOffer = z
  .strictObject({
    scope: z
      .enum(["similar", "project"])
      .describe("`similar`: until the session ends; `project`: in this project from now on"),
    covers: z.string().describe("the covered calls, in words"),
    cover: CallCover.describe("the same as rules"),
    passed: RecordedCount.describe("recorded calls that a person was asked about and that it covers"),
    asked: RecordedCount.describe("recorded calls that a person was asked about and that it does not cover"),
  })
  .readonly();
export type ScopeOffer = z.infer<typeof ScopeOffer>;
