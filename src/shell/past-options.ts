import { fileNameOf, isOption, matchesWord, type ShellPattern } from "./rule.ts";
import { isOpaque } from "./word.ts";

/**
 * The certainty of a match between pattern and command: `maybe` if an option may or may not have a value, `unknown` if
 * only bash knows a word.
 */
export type Coverage = "no" | "unknown" | "maybe" | "surely";

/** Options of `git` itself that take the next word as their value (git(1), 2.51). */
const GIT_VALUES: ReadonlySet<string> = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--super-prefix",
  "--config-env",
  "--attr-source",
  "--shallow-file",
]);

/** The words of a simple command, analyzed once for all patterns. */
export interface CommandWords {
  readonly words: readonly string[];
  /** The words after the program, and with `git` after its own options. */
  readonly rest: readonly string[];
  /** True if one of the words after the program is known only to bash; with `git`, one of its own options. */
  readonly hasOpaque: boolean;
  readonly hasOpaqueOption: boolean;
}

/** Analyzes the words of a command. */
export function commandWords(words: readonly string[]): CommandWords {
  const [name = "", ...given] = words;
  const own = fileNameOf(name) === "git" ? gitOptions(given) : [];
  return {
    words,
    rest: own.length === 0 ? given : given.slice(own.length),
    hasOpaque: given.some(isOpaque),
    hasOpaqueOption: own.some(isOpaque),
  };
}

/**
 * The coverage of a command by a pattern of several words, wherever the command's options are: `git push` covers `git
 * -C sub push`. The pattern's own options must be among the words, its other words must be the first that are no
 * options. An option may take the next word as its value: this is known for git's own options. Elsewhere, a pattern
 * that fits only this way covers `maybe` (`docker push` and `docker --context x push`). So does one whose options may be
 * written in another way: `rm -rf` and `rm -R --force`, `git push -f` and `git push -uf`.
 */
export function coversPastOptions(pattern: ShellPattern, { words, rest }: CommandWords): Coverage {
  const { program, plain, options } = pattern;
  if (pattern.words.length === 1 || !matchesWord(program, words[0] ?? "")) return "no";
  const isSure = beginsWith(plain, rest, false);
  if (!isSure && !beginsWith(plain, rest, true)) return "no";
  const given = words.slice(1).filter(isOption);
  const isPlain = options.every(
    (glob) => given.some((word) => matchesWord(glob, word)) || hasLetters(glob, given),
  );
  if (!isPlain && !options.every((glob) => mayBeGiven(glob, given))) return "no";
  return isSure && isPlain ? "surely" : "maybe";
}

/** Long options that are short ones of most programs, by their letters. */
const LONG: readonly (readonly [name: string, letters: string])[] = [
  ["recursive", "rR"],
  ["force", "f"],
];

/** True if an option may be among the given ones under another name: in a group, as a long one, or cut short. */
function mayBeGiven(glob: string, given: readonly string[]): boolean {
  if (given.some((word) => matchesWord(glob, word))) return true;
  const groups = given.filter((word) => /^-[A-Za-z]+$/.test(word)).join("");
  const isCut = (name: string): boolean =>
    given.some((word) => /^--./.test(word) && name.startsWith(word.slice(2)));
  const isLetter = (letter: string): boolean => {
    const [name = "", same = letter] = LONG.find(([, letters]) => letters.includes(letter)) ?? [];
    return [...same].some((one) => groups.includes(one)) || (name !== "" && isCut(name));
  };
  if (/^-[A-Za-z]{1,3}$/.test(glob)) return [...glob.slice(1)].every(isLetter);
  const name = /^--([\w-]+)$/.exec(glob)?.[1];
  if (name === undefined) return false;
  const [, letters = ""] = LONG.find(([one]) => one === name) ?? [];
  return isCut(name) || [...letters].some((letter) => groups.includes(letter));
}

/**
 * True if a pattern of several words may cover a command once bash knows its opaque words, as `git push` may `git p*`.
 * Not if the first plain word is at its place and is another one: `git log *` is no `git push`.
 */
export function mayCoverOpaque(pattern: ShellPattern, command: CommandWords): boolean {
  const { program, plain } = pattern;
  const { words, rest, hasOpaque, hasOpaqueOption } = command;
  if (!hasOpaque || pattern.words.length === 1 || !matchesWord(program, words[0] ?? "")) return false;
  // It may become several words, the subcommand among them.
  if (hasOpaqueOption) return true;
  const [subcommand = ""] = rest;
  const [glob] = plain;
  return glob === undefined || isOpaque(subcommand) || isOption(subcommand) || matchesWord(glob, subcommand);
}

/** True for a group of two or three letters that are all given, in any order and grouping: `-rf` by `-fr` or `-r -f`. */
function hasLetters(group: string, given: readonly string[]): boolean {
  const letters = /^-[A-Za-z]{2,3}$/.test(group) ? new Set(group.slice(1)) : new Set<string>();
  if (letters.size !== group.length - 1) return false;
  const found = given.flatMap((word) => (/^-[A-Za-z]+$/.test(word) ? [...word.slice(1)] : []));
  return [...letters].every((letter) => found.includes(letter));
}

/** The words of a git command before its subcommand: options and their values. */
export function gitOptions(words: readonly string[]): readonly string[] {
  let end = 0;
  while (end < words.length && isOption(words[end] ?? "")) end += GIT_VALUES.has(words[end] ?? "") ? 2 : 1;
  return words.slice(0, end);
}

/** True if the plain words among `words` begin with the wanted ones; a word after an option may be its value. */
function beginsWith(wanted: readonly string[], words: readonly string[], mayHaveValues: boolean): boolean {
  const [first] = words;
  // Most patterns are about another command.
  if (wanted.length > 0 && first !== undefined && !isOption(first) && !matchesWord(wanted[0] ?? "", first))
    return false;
  let reached: readonly number[] = [0];
  let isBehindOption = false;
  for (const word of words) {
    if (reached.includes(wanted.length)) return true;
    if (reached.length === 0) return false;
    if (isOption(word)) {
      isBehindOption = !word.includes("=");
      continue;
    }
    const matched = reached.filter((at) => matchesWord(wanted[at] ?? "", word)).map((at) => at + 1);
    reached = mayHaveValues && isBehindOption ? [...new Set([...reached, ...matched])] : matched;
    isBehindOption = false;
  }
  return reached.includes(wanted.length);
}
