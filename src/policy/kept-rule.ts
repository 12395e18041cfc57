import { z } from "zod";
import { CallCover } from "./cover.ts";

const Texts = z.array(z.string()).max(64).readonly();

/**
 * An approval that a person gave for a project from now on. It answers only calls that a default or a risk asks about,
 * and never gives more access than a call has without approval.
 */
export const KeptRule = z
  .strictObject({
    id: z.string().describe("the id of the rule"),
    cover: CallCover.describe("the covered calls"),
    covers: z.string().describe("the covered calls, in the words that the person approved"),
    agent: z.string().nullable().describe("only calls of this agent; null: of any"),
    by: z.string().describe("the person who gave it"),
    at: z.number().describe("when, in milliseconds since 1970"),
    from: Texts.describe("the ids of the requests that it comes from"),
    until: z.number().nullable().describe("milliseconds since 1970; null: no end"),
    maxUses: z.int().min(1).nullable().describe("how many calls it answers; null: any number"),
    uses: z.int().min(0).describe("how many calls it has answered"),
    lastUsed: z.number().nullable().describe("the last of them, in milliseconds since 1970"),
    match: Texts.describe("recorded calls that it covers"),
    notMatch: Texts.describe("recorded calls that a person rejected"),
    places: z
      .string()
      .describe("digest of the folders that the roots lead to; the rule sleeps while they differ"),
    rules: z.string().describe("digest of the config's rules when it was given"),
  })
  .readonly();
export type KeptRule = z.infer<typeof KeptRule>;

/** An unused rule ends after this time. */
export const KEPT_UNUSED_MS = 90 * 24 * 60 * 60 * 1000;

/** The state of a kept rule at a time: only `active` rules answer calls. `asleep`: a root leads elsewhere. */
export type KeptState = "active" | "asleep" | "expired" | "used up";

/** The state of a rule, for roots that lead to these places now. */
export function keptState(rule: KeptRule, places: string, now: number): KeptState {
  const { until, maxUses, uses, lastUsed, at } = rule;
  if (maxUses !== null && uses >= maxUses) return "used up";
  if ((until !== null && now >= until) || now - Math.max(at, lastUsed ?? 0) >= KEPT_UNUSED_MS)
    return "expired";
  return rule.places === places ? "active" : "asleep";
}
