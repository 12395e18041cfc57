import { z } from "zod";
import { Action, isAsStrict } from "./action.ts";

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

/** The risks for which the defaults are looser than the built-in ones, and what is done with them instead. */
export function looserDefaults(defaults: RiskDefaults): readonly (readonly [risk: Risk, action: Action])[] {
  const builtIn = RiskDefaults.parse({});
  return Risk.options.flatMap((risk) =>
    isAsStrict(defaults[risk], builtIn[risk]) ? [] : [[risk, defaults[risk]] as const],
  );
}
