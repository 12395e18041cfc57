import { z } from "zod";
import { Action, isAsStrict } from "./action.ts";

/** The effects of a tool: none, reversible, or hard to undo. The default is `write`. */
export const Risk = z.enum(["read_only", "write", "destructive"]);
export type Risk = z.infer<typeof Risk>;

/** The action for calls without a matching rule or a tool's own verdict, by risk. */
export const RiskDefaults = z.strictObject({
  read_only: Action.default("allow").describe("Tools that only read."),
  write: Action.default("ask").describe("Tools that make reversible changes."),
  destructive: Action.default("deny").describe("Tools that make changes that are hard to undo."),
});
export type RiskDefaults = z.infer<typeof RiskDefaults>;

/** The action for a risk; an unknown risk is asked about. */
export function riskAction(defaults: RiskDefaults, risk: Risk | null): Action {
  return risk === null ? "ask" : defaults[risk];
}

/** The risks whose defaults are looser than the built-in ones, with their actions. */
export function looserDefaults(defaults: RiskDefaults): readonly (readonly [risk: Risk, action: Action])[] {
  const builtIn = RiskDefaults.parse({});
  return Risk.options.flatMap((risk) =>
    isAsStrict(defaults[risk], builtIn[risk]) ? [] : [[risk, defaults[risk]] as const],
  );
}
