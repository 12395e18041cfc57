import { fileNameOf, matchesWord, patternParts } from "../shell/rule.ts";
import { isOpaque } from "../shell/word.ts";
import type { CommandLine } from "./command.ts";

/** Characters between words of a text that some program may run: quotes, brackets, commas, operators. */
const BETWEEN = /[^\p{L}\p{N}_.\-+/@*]+/u;

/** The words in a line's text, which patterns of rules are compared with: of its script, and of each command. */
export class TextWords {
  readonly #words: ReadonlySet<string>;

  constructor({ commands, shell }: Pick<CommandLine, "commands" | "shell">) {
    const text = [
      ...commands.flatMap(({ words }) => words.filter((word) => !isOpaque(word))),
      ...(shell ?? []),
    ];
    const words = text.flatMap((one) => one.replace(/["'\\]/gu, " ").split(BETWEEN));
    this.#words = new Set(words.flatMap((word) => [word, fileNameOf(word).replace(/[.-]+$/u, "")]));
  }

  /** True if every word of a pattern is one of the text. Globs alone, as `*`, say nothing. */
  names(pattern: string): boolean {
    const wanted = patternParts(pattern).flatMap((part) => part.trim().split(/\s+/));
    const named = wanted.filter((word) => !/^\**$/.test(word));
    return named.length > 0 && named.every((word) => this.#has(fileNameOf(word)));
  }

  #has(word: string): boolean {
    if (!word.includes("*")) return this.#words.has(word);
    return [...this.#words].some((one) => matchesWord(word, one));
  }
}
