import { onlyReads } from "../shell/only-reads.ts";
import { isOption } from "../shell/rule.ts";

/** Programs that check or test a project, and have no subcommands. */
const CHECKING = new Set(
  "black eslint flake8 jest mocha mypy phpunit prettier pytest rspec rubocop shellcheck tsc vitest".split(
    " ",
  ),
);

/** The number of words that name the act of a program with subcommands, and subcommands that run any program. */
const SUBCOMMANDS: ReadonlyMap<string, { readonly words: number; readonly never: readonly string[] }> =
  new Map([
    ["cargo", { words: 1, never: ["install"] }],
    ["docker", { words: 2, never: ["exec", "run"] }],
    ["dotnet", { words: 1, never: ["exec"] }],
    ["gh", { words: 2, never: ["alias", "api", "extension"] }],
    [
      "git",
      {
        words: 1,
        never: ["bisect", "clean", "config", "filter-branch", "mv", "rebase", "reset", "rm", "submodule"],
      },
    ],
    ["go", { words: 1, never: ["run", "tool", "generate"] }],
    ["kubectl", { words: 2, never: ["exec", "run"] }],
    ["npm", { words: 1, never: ["exec", "explore", "x"] }],
    ["pip", { words: 1, never: [] }],
    ["pip3", { words: 1, never: [] }],
    ["pnpm", { words: 1, never: ["dlx", "exec"] }],
    ["ruff", { words: 1, never: [] }],
    ["yarn", { words: 1, never: ["dlx", "exec"] }],
  ]);

/** Subcommands whose next word names a script of the project. */
const OF_SCRIPTS = /^(npm|pnpm|yarn) (run|run-script)$/;

/**
 * The words of a command that may be followed by any arguments: a program and its subcommand, as `git add`, or a
 * program that only checks or, if `mayRead`, only reads by all of its words. Null for every other program: interpreters,
 * shells, `rm`, `curl`, `sudo` and the like are kept exactly or not at all. The lists are closed.
 */
export function prefixOf(words: readonly string[], mayRead: boolean): readonly string[] | null {
  const [program = ""] = words;
  if (CHECKING.has(program)) return [program];
  const known = SUBCOMMANDS.get(program);
  // What sed(1) does is written in a language of its own.
  if (known === undefined) return mayRead && program !== "sed" && onlyReads(words) ? [program] : null;
  const length = 1 + known.words + (OF_SCRIPTS.test(words.slice(0, 2).join(" ")) ? 1 : 0);
  const prefix = words.slice(0, length);
  const named = prefix.slice(1);
  const isWhole =
    prefix.length === length && named.every((word) => !isOption(word) && /^[\w.:@-]+$/.test(word));
  return isWhole && !named.some((word) => known.never.includes(word)) ? prefix : null;
}
