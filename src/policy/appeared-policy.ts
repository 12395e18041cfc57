import { z } from "zod";

/** Handling of files a call made that hosts execute: `report`, `ask` (taken away unless approved) or `quarantine`. */
export const AppearedPolicy = z.enum(["report", "ask", "quarantine"]);
export type AppearedPolicy = z.infer<typeof AppearedPolicy>;

/** The policies that an operator can demand: none is looser than a config's default. */
export const OperatorAppeared = z.enum(["ask", "quarantine"]);

/** The strictest of several policies. */
export function strictestAppeared(
  first: AppearedPolicy,
  ...others: readonly AppearedPolicy[]
): AppearedPolicy {
  const order = AppearedPolicy.options;
  return others.reduce<AppearedPolicy>(
    (strictest, one) => (order.indexOf(one) > order.indexOf(strictest) ? one : strictest),
    first,
  );
}
