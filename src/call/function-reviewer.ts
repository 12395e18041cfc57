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
export interface FunctionReviewer {
  /** Its name in records. Change it with the function: its digest is made of this name and the settings. */
  readonly name: string;
  /**
   * Answers `{ digest, verdict }` with the digest of the document; `verdict` is `allow_once`, `deny` or `person`. Anything
   * else, and an error, leaves the answer to a person.
   */
  review(document: ReviewDocument, around: { readonly signal: AbortSignal }): unknown;
  /** Globs for the tools that are reviewed, and their risks; by default both. */
  readonly only: {
    readonly tools: readonly string[];
    readonly risk?: readonly ("read_only" | "write")[];
  };
  /** The answers that count; by default only `allow_once`. */
  readonly may?: readonly ("allow_once" | "deny")[];
  /** Limits of a session; `timeout` as `20s`. */
  readonly budget?: {
    readonly calls?: number;
    readonly in_a_row?: number;
    readonly deny_stop?: number;
    readonly timeout?: string;
  };
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
