import { isHarmlessBuiltin } from "../shell/builtins.ts";
import type { CommandLine } from "./command.ts";

/**
 * True for an act of bash itself in a line that bash runs, as `cd src`, `export CI=1`, `[ -f x ]`. No program runs, and
 * the `touches` of the line list all that it does. It says nothing of a line with an unread part.
 */
export function isActOfBash(words: readonly string[], { shell }: Pick<CommandLine, "shell">): boolean {
  return shell !== null && isHarmlessBuiltin(words);
}
