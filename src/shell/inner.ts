import { parseLine, rawCommands } from "./parse.ts";
import { fileNameOf, withoutVersion } from "./rule.ts";

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
/** The maximum nesting of lines within lines: deeper ones are not read. */
const MAX_DEPTH = 8;
/** The maximum of parsed characters in nested lines. The rest is only split into words. */
const MAX_PARSED = 32 * 1024;
/** The maximum of characters read in them: as many as one word of a command can hold. */
const MAX_READ = 128 * 1024;
const IS_LINE = /[\s;&|<>()$`'"\\{}#=]/u;

/** The commands in the lines that a command passes to a shell. */
export interface InnerCommands {
  readonly commands: readonly (readonly string[])[];
  /** False if part of them was not read. */
  readonly isWhole: boolean;
}

/** Reads the lines within the commands of one line, within a budget. */
export class InnerLines {
  #mayParse = MAX_PARSED;
  #mayRead = MAX_READ;

  /**
   * Finds the commands that a command passes to a shell in its words, as far as they are visible: `bash -c 'rm x'`,
   * `find . -exec sh -c '…'`, `eval 'r' 'm x'`. For rules that deny or ask; the list may be incomplete.
   */
  of(words: readonly string[], depth = 0): InnerCommands {
    const at = words.findIndex((word) => TAKE_A_LINE.has(withoutVersion(fileNameOf(word))));
    const lines = at < 0 ? [] : linesAmong(words.slice(at + 1));
    if (depth >= MAX_DEPTH) return { commands: [], isWhole: lines.length === 0 };
    return together(lines.map((line) => this.#commandsIn(line, depth)));
  }

  #commandsIn(line: string, depth: number): InnerCommands {
    this.#mayRead -= line.length;
    if (this.#mayRead < 0) return { commands: [], isWhole: false };
    if (line.length > this.#mayParse)
      return { commands: rawCommands(line).map(({ words }) => words), isWhole: false };
    this.#mayParse -= line.length;
    const read = parseLine(line).commands.map(({ words }) => {
      const { commands, isWhole } = this.of(words, depth + 1);
      return { commands: [words, ...commands], isWhole };
    });
    return together(read);
  }
}

function together(read: readonly InnerCommands[]): InnerCommands {
  return {
    commands: read.flatMap(({ commands }) => commands),
    isWhole: read.every(({ isWhole }) => isWhole),
  };
}

function linesAmong(words: readonly string[]): readonly string[] {
  const lines = new Set(words.filter((word) => IS_LINE.test(word)));
  if (words.length > 1) lines.add(words.filter((word) => !/^-\w*$/.test(word)).join(" "));
  return [...lines];
}
