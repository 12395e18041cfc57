import { CofferdamError, visible } from "../../errors.ts";
import { MAX_FILE_BYTES } from "./input.ts";
import { endsOf, replacedAt } from "./needle.ts";

/** One replacement: a text that occurs exactly once, unless all occurrences are meant, and its new text. */
export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly all?: boolean | undefined;
}

/** A text after its edits, and the number of changed places. */
export interface EditedText {
  readonly text: string;
  readonly replaced: number;
}

/** Maximum of UTF-16 units that one call searches, over all its edits. */
const MAX_SEARCHED = 128 * 1024 ** 2;
/** Maximum of places that one call changes. */
const MAX_PLACES = 1_000_000;

/**
 * Applies the edits in order, each to the result of the one before; all of them, or none. Throws `FILE_NO_MATCH`, with
 * the number of the edit, for a text that is missing, ambiguous, or equal to its replacement. Throws `FILE_TOO_LARGE`,
 * before the text grows, if the result exceeds the maximum size or one call does too much work. Runs in short steps.
 */
export function* editSteps(text: string, edits: readonly Edit[]): Generator<void, EditedText> {
  let at = text;
  let replaced = 0;
  let searched = 0;
  for (const [index, { old_text: old, new_text: now, all = false }] of edits.entries()) {
    const which = `edit ${index + 1} of ${edits.length}`;
    if (old === now) throw noMatch(`${which} replaces a text with the same text`, "remove it");
    searched += at.length + old.length;
    if (searched > MAX_SEARCHED)
      throw tooLarge(`${which}: too many edits of a large file for one call`, "make fewer edits in one call");
    const ends = yield* endsOf(old, at, MAX_PLACES + 1);
    const count = ends.length;
    if (count === 0)
      throw noMatch(
        `${which}: ${shortened(old)} is not in the file`,
        "read the file again: the text must match exactly, with blanks and line ends",
      );
    if (count > 1 && !all)
      throw noMatch(
        `${which}: ${shortened(old)} is in the file ${count} times`,
        "add text around it, or write `all: true`",
      );
    replaced += count;
    if (replaced > MAX_PLACES)
      throw tooLarge(
        `${which}: at most ${MAX_PLACES} places can be changed at once`,
        "change it with a command",
      );
    if (at.length + count * (now.length - old.length) > MAX_FILE_BYTES)
      throw tooLarge(
        `${which} makes the file larger than the maximum of ${MAX_FILE_BYTES} bytes`,
        "change it with a command",
      );
    at = yield* replacedAt(at, ends, old.length, now);
    yield;
  }
  return { text: at, replaced };
}

const MAX_SHOWN = 60;

function shortened(text: string): string {
  return visible(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

function noMatch(message: string, hint: string): CofferdamError {
  return new CofferdamError("FILE_NO_MATCH", message, { hint });
}

function tooLarge(message: string, hint: string): CofferdamError {
  return new CofferdamError("FILE_TOO_LARGE", message, { hint });
}
