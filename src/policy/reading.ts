import { type Hazard, hazardOf } from "../shell/hazards.ts";
import { InnerLines } from "../shell/inner.ts";
import {
  type CommandWords,
  type Coverage,
  commandWords,
  coversPastOptions,
  mayCoverOpaque,
} from "../shell/past-options.ts";
import { coversWords, fileNameOf, matchesWord, type ShellPattern } from "../shell/rule.ts";
import { isManyInOne, isUnread } from "../shell/unread.ts";
import { isOpaque } from "../shell/word.ts";
import type { Command } from "./command.ts";

/** So many words of an unread program are read as commands. Each is read to that end, so the time is bounded. */
const MOST_READ = 128;
/**
 * Of what a line's unread commands may run, so many readings of each program that a rule names are held against the rules,
 * and so many of all programs that only a glob covers.
 */
const MAX_READINGS = { name: 500, glob: 2_000 } as const;

/** One way to read a command: a program's name, and the words behind the place where it stands. */
export class Reading {
  readonly name: string;
  readonly #words: readonly string[];
  readonly #at: number;
  #read: CommandWords | null = null;

  constructor(name: string, words: readonly string[], at = 0) {
    this.name = name;
    this.#words = words;
    this.#at = at;
  }

  /** The command that it is; of few a pattern wants to know that. */
  get read(): CommandWords {
    const end = this.#at === 0 ? this.#words.length : MOST_READ;
    this.#read ??= commandWords([this.name, ...this.#words.slice(this.#at + 1, end)]);
    return this.#read;
  }
}

/** A command, and every way to read it that a rule may be about. */
export interface ReadCommand {
  readonly command: Command;
  readonly written: Reading;
  readonly others: readonly Reading[];
  /** True when only bash will know which program it is. */
  readonly isNameUnknown: boolean;
  /** True for a program that runs what its words say. */
  readonly isProgramUnread: boolean;
  /** True when all that an unread program may run is among the words that are read. */
  readonly isReadToItsEnd: boolean;
  /** The word by which it runs or writes more than its name says, under any name of its program. */
  readonly hazard: Hazard | null;
}

/** Whether rules are about a program of a name: by that name, or by a glob alone. */
export type KnownBy = (name: string) => "name" | "glob" | null;

/**
 * Reads every command of a line, in their order: as written, under each other name of its program and, where it is unread,
 * from each further word on, as the command that it may run, and as each command of a line that it hands to a shell.
 */
export function readCommands(commands: readonly Command[], knownBy: KnownBy): readonly ReadCommand[] {
  const reader = new CommandReader(knownBy);
  return commands.map((command) => reader.read(command));
}

class CommandReader {
  readonly #knownBy: KnownBy;
  readonly #lines = new InnerLines();
  readonly #read = new Map<string, number>();

  constructor(knownBy: KnownBy) {
    this.#knownBy = knownBy;
  }

  read(command: Command): ReadCommand {
    const { words, programNames } = command;
    const [name = "", ...rest] = words;
    const names = new Set(programNames);
    names.delete(name);
    const isNameUnknown = isOpaque(name);
    const isProgramUnread = isUnreadBy([name, ...names], name, rest);
    const others = [...names].map((other) => new Reading(other, words));
    const isWhole = isNameUnknown || isProgramUnread ? this.#readOn(words, others) : true;
    return {
      command,
      written: new Reading(name, words),
      others,
      isNameUnknown,
      isProgramUnread,
      isReadToItsEnd: words.length <= MOST_READ && isWhole,
      hazard: hazardBy([name, ...names], rest),
    };
  }

  /** Adds what an unread command may run; false where that is more than is read. */
  #readOn(words: readonly string[], others: Reading[]): boolean {
    const inner = this.#lines.of(words.slice(0, MOST_READ));
    let isWhole = this.#readFrom(1, words, others) && inner.isWhole;
    for (const one of inner.commands) {
      const [name = "", ...rest] = one;
      const end = isOpaque(name) || isUnread(name, rest) ? one.length : 1;
      isWhole = this.#readFrom(0, one, others, end) && isWhole;
    }
    return isWhole;
  }

  #readFrom(start: number, words: readonly string[], others: Reading[], end = words.length): boolean {
    let isWhole = true;
    for (let at = start; at < Math.min(end, MOST_READ); at += 1) {
      const name = words[at] ?? "";
      const fileName = fileNameOf(name);
      for (const one of name === fileName ? [name] : [name, fileName]) {
        const known = this.#knownBy(one);
        if (known === null) continue;
        if (this.#isMore(known, one)) isWhole = false;
        else others.push(new Reading(one, words, at));
      }
    }
    return isWhole;
  }

  /** True where there were enough readings like this one. */
  #isMore(known: "name" | "glob", name: string): boolean {
    const of = known === "name" ? `name ${name}` : known;
    const count = (this.#read.get(of) ?? 0) + 1;
    this.#read.set(of, count);
    return count > MAX_READINGS[known];
  }
}

function isUnreadBy(names: readonly string[], written: string, rest: readonly string[]): boolean {
  // By a name that begins with its own, such a file takes its next word for the name.
  const isOwn = (name: string): boolean =>
    !isManyInOne(fileNameOf(name)) || fileNameOf(written).startsWith(fileNameOf(name));
  return names.some((name) => isOwn(name) && isUnread(name, rest));
}

function hazardBy(names: readonly string[], rest: readonly string[]): Hazard | null {
  for (const name of names) {
    const found = hazardOf([name, ...rest]);
    if (found !== null) return found;
  }
  return null;
}

/** Whether a pattern covers a reading as a prefix of its words, past its options, perhaps, or not at all. */
export function coverageOf(pattern: ShellPattern, exact: boolean, reading: Reading): Coverage | "plainly" {
  if (!matchesWord(pattern.program, reading.name)) return "no";
  const { read } = reading;
  if (coversWords(pattern, read.words, exact)) return "plainly";
  const past = exact ? "no" : coversPastOptions(pattern, read);
  return past === "no" && mayCoverOpaque(pattern, read) ? "maybe" : past;
}
