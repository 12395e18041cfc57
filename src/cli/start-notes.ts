import type { SupervisorContext } from "../call/supervisor-context.ts";
import { escapeInvisible } from "../errors.ts";
import type { Print } from "./print.ts";

/** Notes at the start of a supervisor: the config in force, and the remains of interrupted calls. */
export function startNotes(
  { loaded, leftBehind }: Pick<SupervisorContext, "loaded" | "leftBehind">,
  isQuiet: boolean,
): readonly string[] {
  return isQuiet ? leftBehind : [...loaded.notes, ...leftBehind];
}

/** Prints the notes to stderr. `quiet` prints only the remains of calls; `more` is printed in addition. */
export function reportStart(
  shared: Pick<SupervisorContext, "loaded" | "leftBehind">,
  print: Print,
  { quiet, more = [] }: { readonly quiet: boolean; readonly more?: readonly string[] },
): void {
  const notes = [...startNotes(shared, quiet), ...(quiet ? [] : more)];
  for (const note of notes) print.talk(print.talkInk.dim(`cofferdam: ${escapeInvisible(note)}`));
}
