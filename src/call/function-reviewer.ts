import { z } from "zod";
import type { ReviewDocument } from "../approval/review.ts";
import type { ReviewRunner } from "../approval/reviewer.ts";
import { REVIEWER_PREFIX } from "../policy/review-record.ts";
import { ReviewerSettings } from "../policy/reviewer-section.ts";
import { sha256 } from "../profile/digest.ts";

/**
 * A function of the host that reviews requests, instead of the `command` or `url` of a config. It runs in this process.
 * Its settings have the meaning of those in `approval.reviewer`.
 */
export interface FunctionReviewer extends z.input<typeof ReviewerSettings> {
  /** Its name in records. Change it with the function: its digest is made of this name and the settings. */
  readonly name: string;
  /**
   * Answers `{ digest, verdict }` with the digest of the document; `verdict` is `allow_once`, `deny` or `person`. Anything
   * else, and an error, leaves the answer to a person.
   */
  review(document: ReviewDocument, around: { readonly signal: AbortSignal }): unknown;
}

const NAME = "a name for records (a string)";
const REVIEW = "a function that answers `{ digest, verdict }`";

/** Schema of a reviewer from JavaScript. */
export const FunctionReviewerOption = z.strictObject(
  {
    ...ReviewerSettings.shape,
    name: z.string({ error: NAME }).min(1, { error: NAME }).max(200, { error: NAME }),
    review: z.custom<FunctionReviewer["review"]>((given) => typeof given === "function", { error: REVIEW }),
  },
  { error: "`{ name, review, only: { tools }, may?, budget? }`" },
);

/** The reviewer as a session uses it. */
export function functionReviewer(given: FunctionReviewer): ReviewRunner {
  const { name, review, ...settings } = FunctionReviewerOption.parse(given);
  return {
    by: `${REVIEWER_PREFIX}${sha256(JSON.stringify([name, settings]))}`,
    name,
    settings,
    ask: async (document, signal) => review(document, { signal }),
  };
}
