import { z } from "zod";

const at = z.string().describe("the place of the value: `headers.authorization`");
const Hidden = z.strictObject({
  at,
  because: z.enum(["name", "shape"]).describe("what looks like a secret's"),
});
const whole = z.string().describe("the size of the whole: `5,000 characters`, `120 items`");

/** The omissions in shown arguments, each with its place. */
export const Redactions = z
  .strictObject({
    hidden: z.array(Hidden).readonly().describe("values that look like secrets"),
    cut: z.array(z.strictObject({ at, whole })).readonly().describe("texts and containers that were cut"),
    isMore: z.boolean().describe("true if the list of omissions is incomplete"),
  })
  .readonly();
export type Redactions = z.infer<typeof Redactions>;

/** Nothing was left out. */
export const NOTHING_LEFT_OUT: Redactions = { hidden: [], cut: [], isMore: false };

/** True if nothing was left out. */
export function isShownWhole({ hidden, cut, isMore }: Redactions): boolean {
  return hidden.length === 0 && cut.length === 0 && !isMore;
}
