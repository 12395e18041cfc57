import { z } from "zod";
import { Action } from "./action.ts";

/** One rule that spoke about a call, who says it, and what it said. */
export const RuleHit = z
  .strictObject({
    layer: z.enum(["operator", "project", "agent", "tool", "risk", "grant", "mode", "caller"]),
    rule: z.string(),
    action: Action,
    reason: z.string().nullable(),
  })
  .readonly();
export type RuleHit = z.infer<typeof RuleHit>;

/**
 * What a tool itself says about a call: the strictest of its rules that spoke, and the others. `doubt`: an ask, when what
 * it denies may be in the call unseen.
 */
export interface ToolSaid {
  readonly hit: RuleHit;
  readonly others?: readonly RuleHit[];
  readonly doubt: RuleHit | null;
}
