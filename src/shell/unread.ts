import { gitOptions } from "./past-options.ts";
import { fileNameOf, shellPattern, withoutVersion } from "./rule.ts";
import { isOpaque } from "./word.ts";

const ALWAYS: ReadonlySet<string> = new Set([
  ...["sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh", "busybox", "toybox"],
  ...["env", "nice", "ionice", "chrt", "taskset", "nohup", "timeout", "setsid", "stdbuf", "time", "flock"],
  ...["chroot", "unshare", "nsenter", "setpriv", "sudo", "doas", "su", "runuser", "pkexec", "systemd-run"],
  ...["xargs", "parallel", "watch", "ssh", "script", "strace", "ltrace", "ssh-agent"],
  ...["setarch", "linux32", "linux64", "i386", "x86_64", "uname26", "prlimit", "choom"],
  ...["awk", "gawk", "mawk", "nawk", "original-awk"],
  ...["ed", "ex", "expect", "tclsh", "wish", "sqlite", "gdb", "tmux", "screen", "capsh", "start-stop-daemon"],
  // Commands of the shell itself: as programs these names do not exist, or do the same.
  ...["command", "builtin", "exec", "eval", "trap", "coproc"],
]);

/** Programs that do so by one of their options. An option of one letter may be in a group (`-pe`). */
const BY_OPTION: ReadonlyMap<string, RegExp> = new Map([
  ["find", /^-(exec|execdir|ok|okdir)$/],
  ["python", /^-[^-]*c/],
  ["pypy", /^-[^-]*c/],
  ["perl", /^-[^-]*[eEMm]/],
  ["ruby", /^-[^-]*e/],
  ["node", /^-([^-]*[epr]|-(eval|print|require|import|loader|experimental-loader))/],
  ["nodejs", /^-([^-]*[epr]|-(eval|print|require|import|loader|experimental-loader))/],
  ["php", /^-([^-]*[rRBEd]|-(run|process-))/],
]);

/** Options of `git` itself by which it runs other programs: an alias, a pager, its programs from another folder. */
const GIT_SETTINGS = /^(-c|--config-env(=.*)?|--exec-path=.*)$/;

const MANY_IN_ONE: ReadonlySet<string> = new Set(["busybox", "toybox", "coreutils"]);

/** The lists, for the reference page: programs that run commands in their words, always or by an option. */
export function unreadTable() {
  return { always: [...ALWAYS], byOption: [...BY_OPTION, ["git", GIT_SETTINGS] as const] };
}

/**
 * True if a command runs commands in its words, so that it may be any other command: `bash -c`, `env`, `find -exec`,
 * `python3 -c`, `git -c`. The list is closed, and a help for authors of rules, not a boundary: a program may run others
 * by its files too (`make`, `npm test`), which no list can know.
 */
export function isUnread(program: string, rest: readonly string[]): boolean {
  const name = fileNameOf(program);
  if (name === "command" && /^-[vV]$/.test(rest[0] ?? "")) return false;
  if (isAlwaysUnread(name)) return true;
  if (name === "git") return gitOptions(rest).some((word) => GIT_SETTINGS.test(word) || isOpaque(word));
  const plain = withoutVersion(name);
  const option = BY_OPTION.get(plain);
  if (option === undefined) return false;
  return rest.some((word) => option.test(word) || mayBeOption(word)) || isFromInput(plain, rest);
}

function isAlwaysUnread(name: string): boolean {
  // The loader runs the given program; `git-push` is git, under another name.
  // Some of their names end in digits that are no version.
  return /^(ld-|ld\.so$|git-)/.test(name) || ALWAYS.has(name) || ALWAYS.has(withoutVersion(name));
}

/** True for a pattern for file names that may match one that looks like an option. */
export function mayBeOption(word: string): boolean {
  return isOpaque(word) && /^.([-+]|$)/su.test(word);
}

/** An interpreter without a file reads its program from its standard input, unless it only prints its version. */
function isFromInput(program: string, rest: readonly string[]): boolean {
  if (program === "find") return false;
  if (rest.includes("-")) return true;
  // Of Python, `-v` is no such option.
  const tells = program.startsWith("py") ? /^(-[Vh]|--version|--help)$/ : /^(-[vVh]|--version|--help)$/;
  return rest.every((word) => word.startsWith("-")) && !rest.some((word) => tells.test(word));
}

/** True if a pattern names the cause for which a command is unread: the program, and an option if it needs one. */
export function namesUnread(pattern: string): boolean {
  const [program = "", ...rest] = shellPattern(pattern).words;
  return (
    !program.includes("*") &&
    (isAlwaysUnread(fileNameOf(program)) || (rest.length > 0 && isUnread(program, rest)))
  );
}

/** True for a file that contains many programs, told apart by the name of the call. */
export function isManyInOne(name: string): boolean {
  return MANY_IN_ONE.has(name);
}
