import { z } from "zod";

/** The examples of a rule on command lines, checked when it is loaded: one that it covers, and one that it does not. */
export function commandExamples(covered: string, other: string) {
  const lines = z.array(z.string()).max(64).optional();
  return {
    match: lines.meta({
      description: "Command lines that the rule must cover, checked when it is loaded.",
      examples: [[covered]],
    }),
    not_match: lines.meta({ description: "Lines that the rule must not cover.", examples: [[other]] }),
  };
}

/**
 * The reach of a rule that denies or asks. `ask`: it also speaks if it is uncertain whether the rule covers a command, then it
 * asks. `pass`: only about what a line shows: its commands in any reading, and words in the text that others run.
 */
export const RuleDoubt = z.enum(["ask", "pass"]);
export type RuleDoubt = z.infer<typeof RuleDoubt>;

/** The setting `doubt` of a rule on command lines. */
export function doubtSetting(byDefault: string) {
  return RuleDoubt.optional().describe(
    `\`ask\`: it also asks if it is uncertain whether the rule covers a command. \`pass\`: it speaks only about what the line shows. Default: ${byDefault}.`,
  );
}

/** The commands that a pattern names: one, or with `|` several that must all occur in one line, as `curl | sh`. */
export function patternParts(pattern: string): readonly string[] {
  return pattern.trim().split(/\s+\|\s+/);
}

/**
 * One rule of `shell.rules`. `pattern` is a prefix of words (`git status` covers `git status --short`), each word a
 * glob in which `*` is any run of characters; with `exact` nothing longer is covered. `allowed: false` forbids;
 * `approval` says whether a person is asked; `sandbox_paths` names the roots that every path among the words must lie
 * in. One that forbids or asks holds for its program under any name, and may name several commands of a line (`curl |
 * sh`); one that does neither, for the words as written. `doubt` says whether it also asks about uncertain commands.
 * `match` and `not_match` are lines that it must and must not cover, checked when it is loaded.
 */
export const ShellRule = z.strictObject({
  pattern: z
    .string()
    .trim()
    .min(1)
    .meta({
      description:
        "The first words of a command; `*` is any text within a word. With `|`, of several commands in one line: `curl | sh`.",
      examples: ["git status"],
    }),
  allowed: z.boolean().default(true).describe("`false` denies the command."),
  approval: z.boolean().default(true).describe("`false` runs the command without asking a person."),
  exact: z.boolean().default(false).describe("Cover only a command with exactly these words."),
  description: z
    .string()
    .optional()
    .meta({ description: "A sentence that describes the rule.", examples: ["shows what changed"] }),
  sandbox_paths: z
    .array(z.string())
    .optional()
    .meta({
      description: "Names of roots: the rule covers only commands whose folder and paths are all in them.",
      examples: [["notes"]],
    }),
  doubt: doubtSetting("`pass` if commands that no rule covers run without asking or by `beyond`, else `ask`"),
  ...commandExamples("git status --short", "git stash"),
});
export type ShellRule = z.infer<typeof ShellRule>;

/** A pattern, taken apart once for all comparisons. */
export interface ShellPattern {
  readonly words: readonly string[];
  readonly program: string;
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

/** True for `+nightly` of `cargo` too: it precedes the subcommand. */
export function isOption(word: string): boolean {
  return word.startsWith("-") || word.startsWith("+");
}

/** True if a rule's pattern covers the words of one simple command. */
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

/** A program's name without a possible version: `python3.12` is `python`. */
export function withoutVersion(name: string): string {
  // From the end, as a pattern for it would begin again at each digit.
  let end = name.length;
  while ("-.0123456789".includes(name.charAt(end - 1)) && end > 0) end -= 1;
  return name.slice(0, end);
}

/** True if one word matches the glob; `*` is any run of characters, nothing else is special. */
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

/** The verdict of a shell rule on a command that it covers. */
export function shellAction(rule: Pick<ShellRule, "allowed" | "approval">): "allow" | "ask" | "deny" {
  return !rule.allowed ? "deny" : rule.approval ? "ask" : "allow";
}
