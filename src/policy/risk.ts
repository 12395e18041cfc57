import { z } from "zod";
import { Action } from "./action.ts";

/**
 * What a tool can do to the world: nothing, something that can be mended, or something that is hard to take back. A tool
 * that says nothing of it counts as `write`.
 */
export const Risk = z.enum(["read_only", "write", "destructive"]);
export type Risk = z.infer<typeof Risk>;

/** What is done with a call that no rule and no tool says anything about, by its risk. */
export const RiskDefaults = z.strictObject({
  read_only: Action.default("allow"),
  write: Action.default("ask"),
  destructive: Action.default("deny"),
});
export type RiskDefaults = z.infer<typeof RiskDefaults>;

/** The action for a risk; a risk that nobody knows is asked about. */
export function riskAction(defaults: RiskDefaults, risk: Risk | null): Action {
  return risk === null ? "ask" : defaults[risk];
}
