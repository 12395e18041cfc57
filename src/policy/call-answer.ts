import { escapeInvisible, visible } from "../errors.ts";
import type { Json } from "./canonical-json.ts";
import type { Decision } from "./decision.ts";
import { redact, redactText } from "./redact.ts";

/** Maximum of characters of a note, and of a changed input, that a model reads. */
const MAX_NOTE = 2_000;

/**
 * An approval that said more than yes: a note, or another input, which then ran in place of the call's own. Both are
 * bounded, with apparent secrets hidden. `by` is the name under which the answer is recorded: a person or a program.
 */
export interface CallAnswer {
  readonly by: string;
  readonly note?: string;
  readonly editedInput?: Json;
}

/** The part of an outcome that tells about the approval of its call; left out if that said nothing but yes. */
export interface HasAnswer {
  readonly answer?: CallAnswer;
}

/** The answer of an approval; null if it said nothing but yes. */
export function callAnswer({ by, note, editedInput }: Approved): CallAnswer | null {
  if ((note ?? "") === "" && editedInput === undefined) return null;
  return {
    by,
    ...(note === undefined || note === "" ? {} : { note: noteLine(note) }),
    ...(editedInput === undefined ? {} : { editedInput: redact(editedInput).safeArgs }),
  };
}

type Approved = Pick<Extract<Decision, { readonly status: "approved" }>, "by" | "note" | "editedInput">;

/** The note of an answer on one line, as a model reads it. */
export function noteLine(note: string): string {
  return escapeInvisible(redactText(note.trim().replaceAll(/\s*\n\s*/g, " "), MAX_NOTE).text);
}

/** The words of an approval for a model: one line on the input, one with the note. */
export function answerText({ by, note, editedInput }: CallAnswer): string {
  const who = visible(by);
  return [
    ...(editedInput === undefined
      ? []
      : [
          `${who} changed the input of this call. This is the result of the changed input: ${visible(JSON.stringify(editedInput))}`,
        ]),
    ...(note === undefined ? [] : [`Note of ${who}: ${note}`]),
  ].join("\n");
}
