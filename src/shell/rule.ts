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

/** True when the rule's pattern covers the words of one simple command. */
export function coversWords(pattern: string, words: readonly string[], exact: boolean): boolean {
  const wanted = pattern.trim().split(/\s+/);
  if (exact ? words.length !== wanted.length : words.length < wanted.length) return false;
  return wanted.every((glob, index) => matchesWord(glob, words[index] ?? ""));
}

/** The file name of a word that is a path, else the word. */
export function fileNameOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** True when one word is what the glob says; `*` is any run of characters, nothing else is special. */
export function matchesWord(glob: string, word: string): boolean {
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
