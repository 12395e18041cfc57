import { z } from "zod";

/** The effect of a rule on a call. */
export const Action = z.enum(["allow", "ask", "deny"]);
export type Action = z.infer<typeof Action>;

/** The answer to an ask: by a person, always an approval, or always a rejection. */
export const Mode = z.enum(["interactive", "approve_all", "strict"]);
export type Mode = z.infer<typeof Mode>;

/** How one of a layer's matching rules is picked. */
export const RuleOrder = z.enum(["last-match", "first-match", "strictest"]);
export type RuleOrder = z.infer<typeof RuleOrder>;

const RANK = { allow: 0, ask: 1, deny: 2 } as const satisfies Record<Action, number>;

/** The first of the strictest speakers; undefined if there are none. */
export function strictest<Speaker extends { readonly action: Action }>(
  speakers: readonly Speaker[],
): Speaker | undefined {
  return speakers.toSorted((a, b) => RANK[b.action] - RANK[a.action])[0];
}

/** True if `a` is at least as strict as `b`. */
export function isAsStrict(a: Action, b: Action): boolean {
  return RANK[a] >= RANK[b];
}
