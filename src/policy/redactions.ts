import { z } from "zod";

/** What was left out of arguments before they were shown, each with where it stood (`headers.authorization`). */
export const Redactions = z
  .strictObject({
    /** Values that look like secrets: by the name they stand under, or by their shape. */
    hidden: z.array(z.strictObject({ at: z.string(), because: z.enum(["name", "shape"]) })).readonly(),
    /** Texts and containers that were cut, and how large the whole is: `5,000 characters`, `120 items`. */
    cut: z.array(z.strictObject({ at: z.string(), whole: z.string() })).readonly(),
    /** More was left out than is listed. */
    isMore: z.boolean(),
  })
  .readonly();
export type Redactions = z.infer<typeof Redactions>;

/** Nothing was left out. */
export const NOTHING_LEFT_OUT: Redactions = { hidden: [], cut: [], isMore: false };

/** True when all is shown. */
export function isShownWhole({ hidden, cut, isMore }: Redactions): boolean {
  return hidden.length === 0 && cut.length === 0 && !isMore;
}
