import { hazardOf } from "../shell/hazards.ts";
import { innerCommands } from "../shell/inner.ts";
import { type Coverage, coversPastOptions, mayCoverOpaque } from "../shell/past-options.ts";
import { coversWords, fileNameOf, matchesWord } from "../shell/rule.ts";
import { isManyInOne, isUnread } from "../shell/unread.ts";
import { isOpaque } from "../shell/word.ts";
import type { Command } from "./command.ts";

/** So many words of an unread program are read as commands. Each is read to that end, so the time is bounded. */
const MOST_READ = 128;

/** One way to read a command: a program's name, and the words behind the place where it stands. */
export interface Reading {
  readonly name: string;
  readonly at: number;
  readonly words: readonly string[];
}

/** True when nobody has read what a command would run: a program that runs what its words say, or one that nobody knows. */
export function isCommandUnread(command: Command): boolean {
  return isNameUnknown(command) || isProgramUnread(command);
}

/** True when only bash will know which program it is. */
export function isNameUnknown({ words: [program = ""] }: Command): boolean {
  return isOpaque(program);
}

/** True for a program that runs what its words say. */
export function isProgramUnread({ words, programNames }: Command): boolean {
  const [program = "", ...rest] = words;
  // By a name that begins with its own, such a file takes its next word for the name.
  const isOwn = (name: string): boolean =>
    !isManyInOne(fileNameOf(name)) || fileNameOf(program).startsWith(fileNameOf(name));
  return [program, ...programNames].some((name) => isOwn(name) && isUnread(name, rest));
}

/** True when all that an unread program may run is among the words that are read. */
export function isReadToItsEnd(words: readonly string[]): boolean {
  return words.length <= MOST_READ;
}

/** The word by which a command runs or writes more than its name says, under each name of its program. */
export function commandHazard({
  words: [program = "", ...rest],
  programNames,
}: Command): ReturnType<typeof hazardOf> {
  for (const name of [program, ...programNames]) {
    const found = hazardOf([name, ...rest]);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Every way to read a command besides its words as written: under each other name of its program and, where it is unread,
 * from each further word on, as the command that it may run, and as each command of a line that it hands to a shell.
 */
export function otherReadings(command: Command): readonly Reading[] {
  const { words, programNames } = command;
  const others = new Set(programNames);
  others.delete(words[0] ?? "");
  const renamed = [...others].map((name) => ({ name, at: 0, words }));
  if (!isCommandUnread(command)) return renamed;
  const handed = innerCommands(words.slice(0, MOST_READ)).flatMap((inner) => [
    ...namesAt(inner, 0),
    ...(isUnread(inner[0] ?? "", inner.slice(1)) || isOpaque(inner[0] ?? "") ? laterReadings(inner) : []),
  ]);
  return [...renamed, ...laterReadings(words), ...handed];
}

function laterReadings(words: readonly string[]): readonly Reading[] {
  return words.slice(0, MOST_READ).flatMap((_, at) => (at === 0 ? [] : namesAt(words, at)));
}

function namesAt(words: readonly string[], at: number): readonly Reading[] {
  const word = words[at] ?? "";
  return [...new Set([word, fileNameOf(word)])].map((name) => ({ name, at, words }));
}

/** Whether a pattern covers a reading as a prefix of its words, past its options, perhaps, or not at all. */
export function coverageOf(
  pattern: string,
  exact: boolean,
  { name, at, words }: Reading,
): Coverage | "plainly" {
  const [program = ""] = pattern.trim().split(/\s+/, 1);
  if (!matchesWord(program, name)) return "no";
  const read = [name, ...words.slice(at + 1, at === 0 ? words.length : MOST_READ)];
  if (coversWords(pattern, read, exact)) return "plainly";
  const past = exact ? "no" : coversPastOptions(pattern, read);
  return past === "no" && mayCoverOpaque(pattern, read) ? "maybe" : past;
}
