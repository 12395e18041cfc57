/** The kinds of outcomes of calls, for results and docs. */
export const OUTCOME_KINDS = ["done", "failed", "timed-out", "not-found", "denied", "pending"] as const;
