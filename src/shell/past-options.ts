import { fileNameOf, matchesWord } from "./rule.ts";
import { isOpaque } from "./word.ts";

/** How sure it is that a pattern speaks of a command: `maybe` when an option may or may not have a value. */
export type Coverage = "no" | "maybe" | "surely";

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

/**
 * Whether a pattern of several words covers a command wherever the command's options stand: `git push` covers
 * `git -C sub push`. The pattern's own options must be among the words, its other words must be the first that are no
 * options. An option may take the next word as its value: for what stands before git's subcommand that is known; where
 * it is not, a pattern that fits only so covers `maybe` (`docker push` and `docker --context x push`).
 */
export function coversPastOptions(pattern: string, words: readonly string[]): Coverage {
  const [program = "", ...wanted] = pattern.trim().split(/\s+/);
  const [name = "", ...given] = words;
  if (wanted.length === 0 || !matchesWord(program, name)) return "no";
  const plain = wanted.filter((glob) => !isOption(glob));
  const rest = isGit(name) ? given.slice(gitOptions(given).length) : given;
  const isSure = beginsWith(plain, rest, false);
  if (!isSure && !beginsWith(plain, rest, true)) return "no";
  const hasOptions = wanted
    .filter(isOption)
    .every((glob) => given.some((word) => isOption(word) && matchesWord(glob, word)));
  if (!hasOptions) return "no";
  return isSure ? "surely" : "maybe";
}

/**
 * True when a pattern of several words may cover a command once bash knows its opaque words, as `git push` may `git p*`.
 * Not where the first plain word stands at its place and is another one: `git log *` is no `git push`.
 */
export function mayCoverOpaque(pattern: string, words: readonly string[]): boolean {
  const [program = "", ...wanted] = pattern.trim().split(/\s+/);
  const [name = "", ...given] = words;
  if (wanted.length === 0 || !given.some(isOpaque) || !matchesWord(program, name)) return false;
  const own = isGit(name) ? gitOptions(given) : [];
  // It may become several words, the subcommand among them.
  if (own.some(isOpaque)) return true;
  const subcommand = given[own.length] ?? "";
  const glob = wanted.find((word) => !isOption(word));
  return glob === undefined || isOpaque(subcommand) || isOption(subcommand) || matchesWord(glob, subcommand);
}

/** The words of a git command before its subcommand: options and their values. */
export function gitOptions(words: readonly string[]): readonly string[] {
  let end = 0;
  while (end < words.length && isOption(words[end] ?? "")) end += GIT_VALUES.has(words[end] ?? "") ? 2 : 1;
  return words.slice(0, end);
}

/** True when the plain words among `words` begin with the wanted ones; a word behind an option may be its value. */
function beginsWith(wanted: readonly string[], words: readonly string[], mayHaveValues: boolean): boolean {
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

/** `+nightly` of `cargo` is one too: it stands before the subcommand. */
function isOption(word: string): boolean {
  return /^[-+]/.test(word);
}

function isGit(name: string): boolean {
  return fileNameOf(name) === "git";
}
