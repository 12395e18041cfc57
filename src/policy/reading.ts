import { isHarmlessBuiltin } from "../shell/builtins.ts";
import { type Hazard, hazardOf } from "../shell/hazards.ts";
import { InnerLines } from "../shell/inner.ts";
import { onlyReads } from "../shell/only-reads.ts";
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
import type { JudgedCommand } from "./command.ts";

/** Maximum of words of an unread program read as commands. Each is read to that end, so the time is bounded. */
const MAX_READ = 128;
/** Maximum of readings of unread commands: per program that a rule names, and for all that only globs match. */
const MAX_READINGS = { name: 500, glob: 2_000 } as const;

/** One way to read a command: a program's name, and the words after its position. */
export class CommandReading {
  readonly name: string;
  readonly #words: readonly string[];
  readonly #at: number;
  #read: CommandWords | null = null;

  constructor(name: string, words: readonly string[], at = 0) {
    this.name = name;
    this.#words = words;
    this.#at = at;
  }

  get read(): CommandWords {
    const end = this.#at === 0 ? this.#words.length : MAX_READ;
    this.#read ??= commandWords([this.name, ...this.#words.slice(this.#at + 1, end)]);
    return this.#read;
  }
}

/** A command, and all of its readings that a rule may match. */
export interface ReadCommand {
  readonly command: JudgedCommand;
  readonly written: CommandReading;
  readonly others: readonly CommandReading[];
  /** True if only bash will know which program it is. */
  readonly isNameUnknown: boolean;
  /** True for a program that runs commands from its words. */
  readonly isProgramUnread: boolean;
  /** True if all commands that an unread program may run are among the readings. */
  readonly isReadToItsEnd: boolean;
  /** The word by which it runs or writes more than its name says, under any name of its program. */
  readonly hazard: Hazard | null;
}

/** Whether rules match a program of a name: by that name, or only by a glob. */
export type KnownBy = (name: string) => "name" | "glob" | null;

/** Reads each command as written, under other names, from each further word if unread, and inside a shell's line. */
export function readCommands(commands: readonly JudgedCommand[], knownBy: KnownBy): readonly ReadCommand[] {
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

  read(command: JudgedCommand): ReadCommand {
    const { words, programNames } = command;
    const [name = "", ...rest] = words;
    const names = new Set(programNames);
    names.delete(name);
    const isNameUnknown = isOpaque(name);
    const isProgramUnread = isUnreadBy([name, ...names], name, rest);
    const others = [...names].map((other) => new CommandReading(other, words));
    const isWhole = isNameUnknown || isProgramUnread ? this.#readOn(words, others) : true;
    return {
      command,
      written: new CommandReading(name, words),
      others,
      isNameUnknown,
      isProgramUnread,
      isReadToItsEnd: words.length <= MAX_READ && isWhole,
      hazard: hazardBy([name, ...names], rest),
    };
  }

  /** Adds commands that an unread program may run; false if there are more than the maximum. */
  #readOn(words: readonly string[], others: CommandReading[]): boolean {
    const inner = this.#lines.of(words.slice(0, MAX_READ));
    let isWhole = this.#readFrom(1, words, others) && inner.isWhole;
    for (const one of inner.commands) {
      const [name = "", ...rest] = one;
      const end = isOpaque(name) || isUnread(name, rest) ? one.length : 1;
      isWhole = this.#readFrom(0, one, others, end) && isWhole;
    }
    return isWhole;
  }

  #readFrom(start: number, words: readonly string[], others: CommandReading[], end = words.length): boolean {
    let isWhole = true;
    for (let at = start; at < Math.min(end, MAX_READ); at += 1) {
      const name = words[at] ?? "";
      const fileName = fileNameOf(name);
      for (const one of name === fileName ? [name] : [name, fileName]) {
        const known = this.#knownBy(one);
        if (known === null) continue;
        if (this.#isMore(known, one)) isWhole = false;
        else others.push(new CommandReading(one, words, at));
      }
    }
    return isWhole;
  }

  /** True if there were enough readings like this one. */
  #isMore(known: "name" | "glob", name: string): boolean {
    const of = known === "name" ? `name ${name}` : known;
    const count = (this.#read.get(of) ?? 0) + 1;
    this.#read.set(of, count);
    return count > MAX_READINGS[known];
  }
}

function isUnreadBy(names: readonly string[], written: string, rest: readonly string[]): boolean {
  // Run under a name that begins with its own, such a file takes its next word as the program name.
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

/** True if a command may run programs that are not among the line's commands: those of its words, or of its input. */
export function runsText({ command, isNameUnknown, isProgramUnread, hazard }: ReadCommand): boolean {
  return isNameUnknown || isProgramUnread || hazard?.does === "runs" || hasCode(command.words);
}

/** True for a program that may be an interpreter, under whatever name: `-c` or `-e` leads a word that looks like code. */
function hasCode(words: readonly string[]): boolean {
  const isCode = words.some(
    (word, at) => at > 0 && /^-[a-z]*[ce]$|^--(?:eval|command)$/.test(word) && /\s/.test(words[at + 1] ?? ""),
  );
  return isCode && !isHarmlessBuiltin(words) && !onlyReads(words);
}

/** Whether a pattern covers a reading as a prefix of its words, past its options, perhaps, or not at all. */
export function coverageOf(
  pattern: ShellPattern,
  exact: boolean,
  reading: CommandReading,
): Coverage | "plainly" {
  if (!matchesWord(pattern.program, reading.name)) return "no";
  const { read } = reading;
  if (coversWords(pattern, read.words, exact)) return "plainly";
  const past = exact ? "no" : coversPastOptions(pattern, read);
  return past === "no" && mayCoverOpaque(pattern, read) ? "unknown" : past;
}
