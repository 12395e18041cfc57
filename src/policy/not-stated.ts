import { isOpaque } from "../shell/word.ts";
import { isActOfBash } from "./act-of-bash.ts";
import { type CoverableCall, isHarmless, MAX_PATTERN_LENGTH, MAX_PATTERNS } from "./cover.ts";
import { readCommands } from "./reading.ts";

/** Why no cover can state a call, in words: the first reason that `coversCall` and the patterns of a cover have. */
export function whyNotStated({ line }: CoverableCall): string {
  if (line === null) return "no rule can state the arguments of this call";
  const { commands, unread, touches } = line;
  if (commands.length > MAX_PATTERNS) return `it has more than ${MAX_PATTERNS} commands`;
  if (unread.length > 0) return "a part of the line can't be read";
  const touch = touches.find((one) => !isHarmless(one));
  if (touch !== undefined)
    return touch.act !== "set" && touch.path === null
      ? "the line names a file that only bash knows"
      : "the line writes a file";
  const programs = readCommands(commands, () => null).filter(
    ({ command }) => !isActOfBash(command.words, line),
  );
  if (programs.some(({ isNameUnknown, isProgramUnread }) => isNameUnknown || isProgramUnread))
    return "it runs a program that runs others, as a shell or an interpreter does";
  const words = programs.flatMap(({ command }) => command.words);
  if (words.some(isOpaque)) return "it has a word that only bash knows";
  if (programs.some(({ command }) => command.programFile !== "fixed"))
    return "its program may be another file when it runs";
  if (words.some((word) => !/^[^\s*]+$/u.test(word) || word.length > MAX_PATTERN_LENGTH))
    return "it has a word that a rule can't state: with a blank or `*`, or a very long one";
  if (programs.some(({ command }) => command.isFed === true)) return "a program gets its input from the line";
  return "no rule can state this call";
}
