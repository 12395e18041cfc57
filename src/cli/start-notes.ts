import { escapeInvisible } from "../errors.ts";
import type { Shared } from "../supervisor/shared.ts";
import type { Print } from "./print.ts";

/** What is to be said when a supervisor starts: which config is in force, and what was found of calls that were cut off. */
export function startNotes(
  { loaded, leftBehind }: Pick<Shared, "loaded" | "leftBehind">,
  isQuiet: boolean,
): readonly string[] {
  return isQuiet ? leftBehind : [...loaded.notes, ...leftBehind];
}

/** Says it on stderr; `quiet` leaves out all but what was found, `more` is said besides. */
export function tellStart(
  shared: Pick<Shared, "loaded" | "leftBehind">,
  print: Print,
  { quiet, more = [] }: { readonly quiet: boolean; readonly more?: readonly string[] },
): void {
  const notes = [...startNotes(shared, quiet), ...(quiet ? [] : more)];
  for (const note of notes) print.talk(print.talkInk.dim(`cofferdam: ${escapeInvisible(note)}`));
}
