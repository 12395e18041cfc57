import { parseLine } from "./parse.ts";
import { fileNameOf } from "./rule.ts";

/** Programs, and commands of bash, that take a line for a shell among their words. */
const TAKE_A_LINE: ReadonlySet<string> = new Set([
  ...["sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"],
  ...[
    "eval",
    "trap",
    "watch",
    "ssh",
    "su",
    "runuser",
    "script",
    "flock",
    "parallel",
    "env",
    "mapfile",
    "readarray",
  ],
]);
/** A line within a line within a line: deeper ones are not looked for. */
const DEEPEST = 8;
/** A word that is a line, and not only a word. */
const IS_LINE = /[\s;&|<>()$`'"\\{}#=]/u;

/**
 * The commands that a command hands to a shell in its words, as far as they stand there: `bash -c 'rm x'`,
 * `find . -exec sh -c '…'`, `eval 'r' 'm x'`. For rules that deny or ask; whether they are all, nobody knows.
 */
export function innerCommands(words: readonly string[], depth = 0): readonly (readonly string[])[] {
  const at = words.findIndex((word) => TAKE_A_LINE.has(fileNameOf(word).replace(/[-.\d]+$/, "")));
  if (at < 0 || depth >= DEEPEST) return [];
  const rest = words.slice(at + 1);
  const lines = rest.filter((word) => IS_LINE.test(word));
  // `eval` and `ssh` put their words together again.
  if (rest.length > 1) lines.push(rest.filter((word) => !/^-\w*$/.test(word)).join(" "));
  return lines.flatMap((line) =>
    parseLine(line).commands.flatMap((command) => [
      command.words,
      ...innerCommands(command.words, depth + 1),
    ]),
  );
}
