import { z } from "zod";
import type { Decision } from "../policy/decision.ts";
import { JsonData } from "../policy/json-data.ts";

/** An input that somebody put in the place of another. It may hold what nobody shall find later, as the other may. */
export const Edited = z.strictObject({ input: JsonData });
export type Edited = z.infer<typeof Edited>;

/** A decision without the input that it brings, which is kept beside it for as long as it may be run. */
export function withoutInput(decision: Decision): Decision {
  if (decision.status !== "approved") return decision;
  const { editedInput: _, ...rest } = decision;
  return rest;
}

/** The input that a decision brings, as it is kept beside it; null where it brings none. */
export function inputText(decision: Decision): string | null {
  if (decision.status !== "approved" || decision.editedInput === undefined) return null;
  return JSON.stringify({ input: decision.editedInput } satisfies Edited);
}

/** The whole decision. */
export function withInput(decision: Decision | null, edited: Edited | null): Decision | null {
  if (decision?.status !== "approved" || edited === null) return decision;
  return { ...decision, editedInput: edited.input };
}
