import { matchesWord, patternParts, type ShellPattern, shellPattern } from "../shell/rule.ts";
import { coverageOf, type KnownBy, type ReadCommand } from "./reading.ts";

/** True for a pattern that names several commands of one line: `curl | sh`. */
export function isCombined(pattern: string): boolean {
  return patternParts(pattern).length > 1;
}

/** The rules about lines in which several commands occur together. */
export class CombinedRules<Rule> {
  readonly #all: readonly { readonly rule: Rule; readonly parts: readonly ShellPattern[] }[];

  constructor(rules: readonly Rule[], patternOf: (rule: Rule) => string) {
    this.#all = rules
      .filter((rule) => isCombined(patternOf(rule)))
      .map((rule) => ({ rule, parts: patternParts(patternOf(rule)).map(shellPattern) }));
  }

  /** Adds the programs that these rules name to the known ones. */
  knownBeside(others: KnownBy): KnownBy {
    if (this.#all.length === 0) return others;
    const programs = [...new Set(this.#all.flatMap(({ parts }) => parts.map(({ program }) => program)))];
    return (name) => {
      const known = others(name);
      if (known === "name" || programs.includes(name)) return "name";
      return known ?? (programs.some((program) => matchesWord(program, name)) ? "glob" : null);
    };
  }

  /** The rules of which each command occurs among the given ones, in any reading. */
  covering(commands: readonly ReadCommand[]): readonly Rule[] {
    return this.#all.flatMap(({ rule, parts }) =>
      parts.every((part) => commands.some((command) => isCovered(part, command))) ? [rule] : [],
    );
  }
}

function isCovered(part: ShellPattern, { written, others }: ReadCommand): boolean {
  return [written, ...others].some((reading) =>
    ["plainly", "surely", "maybe"].includes(coverageOf(part, false, reading)),
  );
}
