import { type Coverage, coversPastOptions } from "../shell/past-options.ts";
import { coversWords, fileNameOf, matchesWord } from "../shell/rule.ts";
import { isManyInOne, isUnread } from "../shell/unread.ts";
import type { Command } from "./command.ts";

/** So many words of an unread program are read as commands. Each is read to that end, so the time is bounded. */
const MOST_READ = 128;

/** One way to read a call: a program's name, and the words behind the place where it stands. */
export interface Reading {
  readonly name: string;
  readonly at: number;
}

/** True when nobody has read what a call would run: a script, or a program that runs what its words say. */
export function isCallUnread({ words, programNames }: Command): boolean {
  if (words === null) return true;
  const [program = "", ...rest] = words;
  const isOwn = (name: string): boolean =>
    !isManyInOne(fileNameOf(name)) || fileNameOf(name) === fileNameOf(program);
  return [program, ...programNames].some((name) => isOwn(name) && isUnread(name, rest));
}

/** True when all that an unread program may run is among the words that are read. */
export function isReadToItsEnd(words: readonly string[]): boolean {
  return words.length <= MOST_READ;
}

/**
 * Every way to read a call besides its words as written: under each other name of its program and, where it is unread,
 * from each further word on, as the command that it may run.
 */
export function otherReadings(command: Command, words: readonly string[]): readonly Reading[] {
  const others = new Set(command.programNames);
  others.delete(words[0] ?? "");
  const renamed = [...others].map((name) => ({ name, at: 0 }));
  if (!isCallUnread(command)) return renamed;
  const inner = words
    .slice(0, MOST_READ)
    .flatMap((word, at): readonly Reading[] =>
      at === 0 ? [] : [...new Set([word, fileNameOf(word)])].map((name) => ({ name, at })),
    );
  return [...renamed, ...inner];
}

/** Whether a pattern covers a reading as a prefix of its words, past its options, perhaps, or not at all. */
export function coverageOf(
  pattern: string,
  exact: boolean,
  { name, at }: Reading,
  words: readonly string[],
): Coverage | "plainly" {
  const [program = ""] = pattern.trim().split(/\s+/, 1);
  if (!matchesWord(program, name)) return "no";
  const read = [name, ...words.slice(at + 1, at === 0 ? words.length : MOST_READ)];
  if (coversWords(pattern, read, exact)) return "plainly";
  return exact ? "no" : coversPastOptions(pattern, read);
}
