import { z } from "zod";
import type { Decision } from "../policy/decision.ts";
import { JsonData } from "../policy/json-data.ts";

/** An input that replaces another. It may hold secrets, as the other may. */
export const EditedInput = z.strictObject({ input: JsonData });
export type EditedInput = z.infer<typeof EditedInput>;

/** A decision without its edited input, which is stored beside it for as long as it may be run. */
export function withoutInput(decision: Decision): Decision {
  if (decision.status !== "approved") return decision;
  const { editedInput: _, ...rest } = decision;
  return rest;
}

/** The edited input of a decision, as stored beside it; null if there is none. */
export function inputText(decision: Decision): string | null {
  if (decision.status !== "approved" || decision.editedInput === undefined) return null;
  return JSON.stringify({ input: decision.editedInput } satisfies EditedInput);
}

export function withInput(decision: Decision | null, edited: EditedInput | null): Decision | null {
  if (decision?.status !== "approved" || edited === null) return decision;
  return { ...decision, editedInput: edited.input };
}
