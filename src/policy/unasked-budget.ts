import { z } from "zod";
import type { RuleHit } from "./rule-hit.ts";

const MINUTE_MS = 60_000;

/** How much of a session may run between two questions. An omitted part has no limit. */
export const UnaskedBudget = z.strictObject({
  calls: z
    .int()
    .min(1)
    .optional()
    .meta({ description: "The maximum number of calls without a question.", examples: [200] }),
  minutes: z
    .int()
    .min(1)
    .max(525_600)
    .optional()
    .meta({ description: "The maximum time in minutes, from the first of these calls.", examples: [60] }),
});
export type UnaskedBudget = z.infer<typeof UnaskedBudget>;

/** The unit of `meetBudgets`: no limit. */
export const NO_BUDGET: UnaskedBudget = {};

/** The calls of a session that ran without a question since a person last continued it. */
export interface UnaskedCalls {
  readonly count: number;
  /** Milliseconds since the first of them; 0 before it. */
  readonly elapsedMs: number;
}

/** The smaller of both, in each part: adding a budget never lets more run. */
export function meetBudgets(a: UnaskedBudget, b: UnaskedBudget): UnaskedBudget {
  const [calls, minutes] = [lesser(a.calls, b.calls), lesser(a.minutes, b.minutes)];
  return { ...(calls === undefined ? {} : { calls }), ...(minutes === undefined ? {} : { minutes }) };
}

/** The hit that asks before one more call; null while the budget allows it. */
export function budgetHit(
  { calls, minutes }: UnaskedBudget,
  { count, elapsedMs }: UnaskedCalls,
): RuleHit | null {
  const isOver = calls !== undefined && count >= calls;
  const isLate = minutes !== undefined && elapsedMs >= minutes * MINUTE_MS;
  if (!isOver && !isLate) return null;
  const ran = `${count} ${count === 1 ? "call" : "calls"} ran without a question`;
  const within = isOver ? "" : ` in ${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
  const reason = `${ran}${within}; an approval of this call lets the session continue`;
  return { layer: "budget", rule: isOver ? "calls" : "minutes", action: "ask", reason };
}

/** The budget in words: `200 calls or 60 minutes`; null without a limit. */
export function budgetInWords({ calls, minutes }: UnaskedBudget): string | null {
  const parts = [
    ...(calls === undefined ? [] : [`${calls} ${calls === 1 ? "call" : "calls"}`]),
    ...(minutes === undefined ? [] : [`${minutes} ${minutes === 1 ? "minute" : "minutes"}`]),
  ];
  return parts.length === 0 ? null : parts.join(" or ");
}

function lesser(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
