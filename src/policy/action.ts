import { z } from "zod";

/** What a rule says about a call. */
export const Action = z.enum(["allow", "ask", "deny"]);
export type Action = z.infer<typeof Action>;

/** How an ask is answered: by a person, by yes, or by no. */
export const Mode = z.enum(["interactive", "approve_all", "strict"]);
export type Mode = z.infer<typeof Mode>;

/** Which of a layer's rules that match a call decides. */
export const RuleOrder = z.enum(["last-match", "first-match", "strictest"]);
export type RuleOrder = z.infer<typeof RuleOrder>;

const RANK = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Action, number>;

/** The first of the strictest of several that speak; undefined of none. */
export function strictest<Speaker extends { readonly action: Action }>(
  speakers: readonly Speaker[],
): Speaker | undefined {
  return speakers.toSorted((a, b) => RANK[b.action] - RANK[a.action])[0];
}

/** True when `a` is at least as strict as `b`. */
export function isAsStrict(a: Action, b: Action): boolean {
  return RANK[a] >= RANK[b];
}
