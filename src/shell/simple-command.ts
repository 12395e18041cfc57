import type { Assignment, Command, Word } from "unbash";
import { assignedText, builtinEffect, settingsEffect } from "./builtins.ts";
import { documentText } from "./document-text.ts";
import { doubtful, NO_EFFECT, type ShellEffect } from "./touch.ts";
import { type HoldsNumber, isOpaque, piecesOf, textOf } from "./word.ts";

/** One simple command of a line: its words as a program gets them; `isOpaque` for words that only bash will know. */
export interface SimpleCommand {
  readonly words: readonly [string, ...string[]];
  /** True if the line itself may give it its input: by a pipe, a here-document, a here-string or a file. */
  readonly isFed?: true;
}

/** The words of a command; null if it has no name, as `x=1` and `>file`. */
export function commandOf({ name, suffix }: Command): SimpleCommand | null {
  if (name === undefined) return null;
  const first = textOf(name).text;
  const rest = suffix.flatMap((one) => {
    if (one.type === "Word") return [documentText(one) ?? textOf(one).text];
    return one.type === "Assignment" ? [one.text] : [];
  });
  return { words: [first, ...(isOpaque(first) ? piecesOf(name) : []), ...rest] };
}

/** The effect of a command beside that of its parts: the variables before it, and what it does if it is bash's own. */
export function commandEffect(
  command: Command,
  words: readonly string[],
  isNumber: HoldsNumber,
): ShellEffect {
  const set = command.prefix.filter((one): one is Assignment => one.type === "Assignment");
  if (set.some(({ index, value }) => index !== undefined || value.type !== "Word"))
    return doubtful("it sets a list or a part of one");
  if (command.name !== undefined && set.length > 0 && isSplitting(set, words))
    return ownEffect(command, words, isNumber);
  const isExported = command.name !== undefined;
  const settings = settingsEffect(
    set.map((one) => ({ name: one.name, value: assignedText(one), isExported })),
  );
  if (command.name === undefined) return settings;
  const own = ownEffect(command, words, isNumber);
  return { doubt: settings.doubt ?? own.doubt, touches: [...settings.touches, ...own.touches] };
}

/** `IFS=, read a b`: the variable only says where this command splits its input. */
function isSplitting(set: readonly Assignment[], [name]: readonly string[]): boolean {
  return name === "read" && set.every((one) => one.name === "IFS" && assignedText(one) !== null);
}

function ownEffect(command: Command, words: readonly string[], isNumber: HoldsNumber): ShellEffect {
  const [name = ""] = words;
  if (isOpaque(name) || name === "") return doubtful("only bash knows the name of a command");
  // bash reads an index to its end, so that `a[ x; y ]` is one word.
  if (isBeforeIndex(command.name)) return doubtful("only bash knows the name of a command");
  // After `time`, in posix mode, it is an option of the program of that name.
  if (name.startsWith("-")) return doubtful("the name of a command begins with `-`");
  return builtinEffect({ words, command, isNumber }) ?? NO_EFFECT;
}

function isBeforeIndex(name: Word | undefined): boolean {
  return /^\w+\[/.test(name?.text ?? "");
}
