import { z } from "zod";

/**
 * One rule of `shell.rules`. `pattern` is a prefix of words (`git status` covers `git status --short`), each word a glob
 * in which `*` is any run of characters; with `exact` nothing longer is covered. `allowed: false` forbids; `approval`
 * says whether a person is asked; `sandbox_paths` names the roots that every path among the words must lie in. A rule
 * that forbids or asks holds for its program by whatever name; one that asks nobody, only for the words as written.
 * `match` and `not_match` are command lines that it must and must not cover, checked when it is loaded.
 */
export const ShellRule = z.strictObject({
  pattern: z.string().trim().min(1),
  allowed: z.boolean().default(true),
  approval: z.boolean().default(true),
  exact: z.boolean().default(false),
  description: z.string().optional(),
  sandbox_paths: z.array(z.string()).optional(),
  match: z.array(z.string()).max(64).optional(),
  not_match: z.array(z.string()).max(64).optional(),
});
export type ShellRule = z.infer<typeof ShellRule>;

/** A pattern, taken apart once for all that is held against it. */
export interface ShellPattern {
  /** All of its words; the first names the program. */
  readonly words: readonly string[];
  readonly program: string;
  /** Those behind the program that are options, and the others. */
  readonly options: readonly string[];
  readonly plain: readonly string[];
}

/** Takes the pattern of a rule apart. */
export function shellPattern(pattern: string): ShellPattern {
  const words = pattern.trim().split(/\s+/);
  const [program = "", ...wanted] = words;
  return {
    words,
    program,
    options: wanted.filter(isOption),
    plain: wanted.filter((word) => !isOption(word)),
  };
}

/** `+nightly` of `cargo` is one too: it stands before the subcommand. */
export function isOption(word: string): boolean {
  return word.startsWith("-") || word.startsWith("+");
}

/** True when a rule's pattern covers the words of one simple command. */
export function coversWords(
  { words: wanted }: ShellPattern,
  words: readonly string[],
  exact: boolean,
): boolean {
  if (exact ? words.length !== wanted.length : words.length < wanted.length) return false;
  return wanted.every((glob, index) => matchesWord(glob, words[index] ?? ""));
}

/** The file name of a word that is a path, else the word. */
export function fileNameOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** A program's name without what may be its version: `python3.12` is `python`. */
export function withoutVersion(name: string): string {
  // From the end, as a pattern for it would begin anew at each digit.
  let end = name.length;
  while ("-.0123456789".includes(name.charAt(end - 1)) && end > 0) end -= 1;
  return name.slice(0, end);
}

/** True when one word is what the glob says; `*` is any run of characters, nothing else is special. */
export function matchesWord(glob: string, word: string): boolean {
  if (!glob.includes("*")) return glob === word;
  const [first = "", ...rest] = glob.split("*");
  if (!word.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return word.length - part.length >= at && word.endsWith(part);
    const found = word.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at === word.length;
}

/** What a shell rule says about a command that it covers. */
export function shellAction(rule: ShellRule): "allow" | "ask" | "deny" {
  return !rule.allowed ? "deny" : rule.approval ? "ask" : "allow";
}
