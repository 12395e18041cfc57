import { z } from "zod";

/**
 * What becomes of files that a call made and that hosts execute by themselves. `report`: they stay, and are told. `ask`: they are
 * taken away, and given back where a person says so. `quarantine`: they are taken away. In this order each is stricter.
 */
export const AppearedPolicy = z.enum(["report", "ask", "quarantine"]);
export type AppearedPolicy = z.infer<typeof AppearedPolicy>;

/** What an operator can demand: nothing looser than what a config says by default. */
export const OperatorAppeared = z.enum(["ask", "quarantine"]);

/** The strictest of several. */
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
