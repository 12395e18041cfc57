import { CofferdamError, visible } from "../../errors.ts";
import { MOST_FILE_BYTES } from "./input.ts";
import { endsOf, replacedAt } from "./needle.ts";

/** One replacement: a text that stands there exactly once, unless all of them are meant, and what comes in its place. */
export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly all?: boolean | undefined;
}

/** A text after its edits, and how many places were changed. */
export interface Edited {
  readonly text: string;
  readonly replaced: number;
}

/** So many UTF-16 units are looked through for one call, every edit counted. */
const MOST_SEARCHED = 128 * 1024 ** 2;
/** So many places are changed by one call. */
const MOST_PLACES = 1_000_000;

/**
 * Makes the edits one after the other, each in what those before it left; all of them, or none. Throws `FILE_NO_MATCH`
 * for a text that is not there, that is there more than once where one is meant, or that is replaced by itself, by the
 * number of the edit; and `FILE_TOO_LARGE`, before anything grows, for edits that make of a text more than tools write,
 * or that are too much work for one call. In steps, none of which takes long.
 */
export function* editSteps(text: string, edits: readonly Edit[]): Generator<void, Edited> {
  let at = text;
  let replaced = 0;
  let searched = 0;
  for (const [index, { old_text: old, new_text: now, all = false }] of edits.entries()) {
    const which = `edit ${index + 1} of ${edits.length}`;
    if (old === now) throw noMatch(`${which} replaces a text by itself`, "leave it out");
    searched += at.length + old.length;
    if (searched > MOST_SEARCHED)
      throw tooLarge(
        `${which}: so many edits of so large a file are too much for one call`,
        "make fewer at once",
      );
    const ends = yield* endsOf(old, at, MOST_PLACES + 1);
    const count = ends.length;
    if (count === 0)
      throw noMatch(
        `${which}: ${shortened(old)} is not in the file`,
        "read the file again: the text must be the same to the character, blanks and line ends too",
      );
    if (count > 1 && !all)
      throw noMatch(
        `${which}: ${shortened(old)} is in the file ${count} times`,
        "take more of what stands around it, or say `all: true`",
      );
    replaced += count;
    if (replaced > MOST_PLACES)
      throw tooLarge(
        `${which}: more than ${MOST_PLACES} places are not changed at once`,
        "change it by a command",
      );
    if (at.length + count * (now.length - old.length) > MOST_FILE_BYTES)
      throw tooLarge(
        `${which} makes it larger than file tools write: ${MOST_FILE_BYTES} bytes`,
        "change it by a command",
      );
    at = yield* replacedAt(at, ends, old.length, now);
    yield;
  }
  return { text: at, replaced };
}

const MOST_SHOWN = 60;

function shortened(text: string): string {
  return visible(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}

function noMatch(message: string, hint: string): CofferdamError {
  return new CofferdamError("FILE_NO_MATCH", message, { hint });
}

function tooLarge(message: string, hint: string): CofferdamError {
  return new CofferdamError("FILE_TOO_LARGE", message, { hint });
}
