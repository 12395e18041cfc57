import { matchesWord, type ShellPattern, shellPattern } from "../shell/rule.ts";
import type { KnownBy } from "./reading.ts";

export interface PatternOf<Rule> {
  readonly rule: Rule;
  readonly pattern: ShellPattern;
}

/** Rules by the program that their patterns name: few rules of a long list concern one command, and a line has many. */
export class PatternsByProgram<Rule> {
  readonly all: readonly PatternOf<Rule>[];
  readonly #byName = new Map<string, readonly PatternOf<Rule>[]>();
  readonly #globs: readonly PatternOf<Rule>[];

  constructor(rules: readonly Rule[], patternOf: (rule: Rule) => string) {
    this.all = rules.map((rule) => ({ rule, pattern: shellPattern(patternOf(rule)) }));
    this.#globs = this.all.filter(({ pattern }) => pattern.program.includes("*"));
    const names = new Set(this.all.map(({ pattern }) => pattern.program));
    // A rule may match the program by name or by a glob: keep the order of the list.
    for (const name of names)
      this.#byName.set(
        name,
        this.all.filter((one) => isAbout(one, name)),
      );
  }

  /** Whether rules match the program of this name, and whether one names it. */
  readonly knownBy: KnownBy = (name) => {
    if (this.#byName.has(name)) return "name";
    return this.#globs.some((one) => isAbout(one, name)) ? "glob" : null;
  };

  about(name: string): readonly PatternOf<Rule>[] {
    return this.#byName.get(name) ?? this.#globs.filter((one) => isAbout(one, name));
  }
}

function isAbout({ pattern }: PatternOf<unknown>, name: string): boolean {
  return matchesWord(pattern.program, name);
}
