import { hazardOf } from "./hazards.ts";
import { isUnread, mayBeOption } from "./unread.ts";
import { isOpaque } from "./word.ts";

/** Programs that write nothing and run nothing by any of their options (GNU coreutils 9, grep 3, procps 4). */
const WITH_ANY_WORDS: ReadonlySet<string> = new Set(
  [
    "arch b2sum basename cat cksum cmp column comm cut df dirname du echo egrep expand expr factor false fgrep fmt fold",
    "free grep groups head hexdump id join logname ls md5sum nl nproc numfmt od paste printenv printf ps pwd readlink",
    "realpath rev seq sha1sum sha224sum sha256sum sha384sum sha512sum sleep stat strings sum tac tail test tr true tsort",
    "tty uname unexpand uptime wc which whoami [",
  ].flatMap((line) => line.split(" ")),
);

/**
 * Programs that do by some of their options, and the words that they may have. What `hazardOf` knows is refused besides:
 * `find -delete`, `sort -o`, `sed -i`, `rg --pre`, a second file of `uniq`.
 */
const WITH_SOME_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^/],
  ["jq", /^/],
  ["rg", /^/],
  ["sed", /^/],
  ["sort", /^/],
  ["uniq", /^/],
  // A plain word may set the clock.
  ["date", /^[-+]/],
  // `-l` runs `pr`.
  ["diff", /^(?!-[a-zA-Z]*l|--p)/],
  // `-C` writes what it compiles; `-z` runs other programs.
  ["file", /^(?!-[a-zA-Z]*[CzZ]|--[cu])/],
  // `-R` writes a page in each folder.
  ["tree", /^(?!-[a-zA-Z]*[oR])/],
]);

const ANYTHING = /^/;
/** Not an option that removes, adds or changes something. */
const NO_OPTION = /^[^-]/;

/** Commands of git that only read, and the words that they may have. */
const OF_GIT: ReadonlyMap<string, RegExp> = new Map([
  ...[
    "blame",
    "cat-file",
    "check-ignore",
    "count-objects",
    "describe",
    "diff",
    "for-each-ref",
    "grep",
    "log",
  ].map((name) => [name, ANYTHING] as const),
  ...[
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
  ].map((name) => [name, ANYTHING] as const),
  ["branch", /^(-a|-r|-v|-vv|--all|--remotes|--show-current|--no-color)$/],
  ["remote", /^-v$/],
  ["remote get-url", NO_OPTION],
  ["tag", /^(-n\d*|--sort=.*)$/],
  ["tag -l", NO_OPTION],
  ["tag --list", NO_OPTION],
  ["stash list", ANYTHING],
  ["stash show", ANYTHING],
  ["reflog", /^$/],
  ["reflog show", ANYTHING],
  ["worktree list", ANYTHING],
  ["config --get", NO_OPTION],
  ["config --list", /^$/],
  ["config -l", /^$/],
]);
const OPTIONS_OF_GIT: ReadonlySet<string> = new Set([
  "--no-pager",
  "--no-optional-locks",
  "--literal-pathspecs",
]);

/**
 * True for a command that surely writes no file and runs no other program, by its name and its words: `ls -la`, `grep -r
 * x`, `git log`, but not `find -delete`, and not `sort $x`, as `x` may be `-o`. The name must be that of a program of the
 * system; a word with a slash is none.
 *
 * Settings of programs are not looked at. git runs a pager, a filter or a monitor that its config names: the config is
 * the person's, as calls can't write it. So `-C`, which leads to another one, is not among the words. `git status` may
 * refresh its index, and leaves that out where it can't write.
 */
export function onlyReads([name = "", ...rest]: readonly string[]): boolean {
  if (hazardOf([name, ...rest]) !== null || isUnread(name, rest)) return false;
  if (WITH_ANY_WORDS.has(name)) return true;
  if (rest.some(mayBeOption)) return false;
  if (name === "git") return onlyReadsRepository(rest);
  const words = WITH_SOME_WORDS.get(name);
  return words !== undefined && rest.every((word) => words.test(isOpaque(word) ? word.slice(1) : word));
}

function onlyReadsRepository(rest: readonly string[]): boolean {
  const start = rest.findIndex((word) => !OPTIONS_OF_GIT.has(word));
  const [command = "", second = "", ...further] = start < 0 ? [] : rest.slice(start);
  if (isOpaque(command)) return false;
  const [both, one] = [OF_GIT.get(`${command} ${second}`), OF_GIT.get(command)];
  if (both !== undefined) return further.every((word) => both.test(word));
  const words = [second, ...further].filter((word) => word !== "");
  return one !== undefined && words.every((word) => one.test(word));
}
