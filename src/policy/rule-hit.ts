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
