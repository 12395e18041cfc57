import { isOpaque } from "./word.ts";

/** Words of the grammar (bash(1), RESERVED WORDS). */
const RESERVED: ReadonlySet<string> = new Set([
  ...[
    "!",
    "case",
    "coproc",
    "do",
    "done",
    "elif",
    "else",
    "esac",
    "fi",
    "for",
    "function",
    "if",
    "in",
    "select",
  ],
  ...["then", "until", "while", "{", "}", "time", "[[", "]]"],
]);

/** Commands of bash 5.2 itself that do not affect later commands, and run only the commands in their words. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...[":", "true", "false", "echo", "printf", "test", "[", "pwd", "exit", "kill", "times", "ulimit", "umask"],
]);

/** The others: they run, load or remember something, or rename it (bash(1), SHELL BUILTIN COMMANDS). */
const CHANGING: ReadonlySet<string> = new Set([
  ...[
    ".",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
  ],
  ...[
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
  ],
  ...["help", "history", "jobs", "let", "local", "logout", "mapfile", "popd", "pushd", "read", "readarray"],
  ...[
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "trap",
    "type",
    "typeset",
    "unalias",
  ],
  ...["unset", "wait"],
]);

/** True for a name that bash reserves: it is no program, or bash would not run a program of that name. */
export function isOfShell(name: string): boolean {
  return RESERVED.has(name) || HARMLESS.has(name) || CHANGING.has(name);
}

/** A format of `printf` that sets the variable which its argument names (printf(1), `%n`). */
const COUNTS = /%[-+ #0'*\d.hljztL]*n/;

/** True for a command that changes later ones or runs something. bash calculates an index: `test -v 'a[$(x)]'`. */
export function isChanging(name: string, rest: readonly string[]): boolean {
  if (name === "printf" && rest.some((word) => COUNTS.test(word))) return true;
  if (name === "printf" || name === "test" || name === "[")
    return rest.some((word) => isOpaque(word) || /^-[vR]/.test(word));
  return CHANGING.has(name);
}

/** TEMP */
export function isHarmlessBuiltin(words: readonly string[]): boolean {
  return CHANGING.has(words[0] ?? "") && words[0] === "cd";
}

/** True for a builtin that is a program too, with the same effect. */
export function isAlsoProgram(name: string): boolean {
  return ["echo", "printf", "test", "[", "pwd", "true", "false", "kill"].includes(name);
}
