import type { Assignment, Command, Word } from "unbash";
import { doubtful, NO_EFFECT, type ShellEffect } from "./touch.ts";
import { doubtAboutVariable, type VariableSetting } from "./variables.ts";
import { type HoldsNumber, isNumberWord, isOneWord, isOpaque, textOf } from "./word.ts";

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

/** Builtins of bash 5.2 that are read with any words: they run, open and set nothing, and calculate with no word. */
const WITH_ANY_WORDS: ReadonlySet<string> = new Set([
  ...[":", "true", "false", "echo", "pwd", "exit", "break", "continue", "shift", "type", "dirs", "disown"],
  ...["times", "ulimit", "umask", "kill"],
]);

/** Builtins that are read if their words are of a known form. */
const WITH_KNOWN_WORDS: ReadonlySet<string> = new Set([
  ...["cd", "pushd", "popd", "set", "export", "unset", "read", "wait", "hash", "jobs", "command"],
  ...["printf", "test", "["],
]);

/** The others: they run, load or remember something, or rename it (bash(1), SHELL BUILTIN COMMANDS). */
const CHANGING: ReadonlySet<string> = new Set([
  ...[
    ".",
    "alias",
    "bg",
    "bind",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "compopt",
    "declare",
    "enable",
    "eval",
  ],
  ...[
    "exec",
    "fc",
    "fg",
    "getopts",
    "help",
    "history",
    "let",
    "local",
    "logout",
    "mapfile",
    "readarray",
    "readonly",
  ],
  ...["return", "shopt", "source", "suspend", "trap", "typeset", "unalias"],
]);

/** True for a name that bash reserves: it is no program, or bash would not run a program of that name. */
export function isOfShell(name: string): boolean {
  return RESERVED.has(name) || isBuiltin(name);
}

function isBuiltin(name: string): boolean {
  return WITH_ANY_WORDS.has(name) || WITH_KNOWN_WORDS.has(name) || CHANGING.has(name);
}

/**
 * True for a command that is bash's own and by itself only does what the `touches` of its line list, such as `cd src`,
 * `[ -f x ]`, `read line`, `command -v git`. It is meant for a line that bash runs and that is understood: a program of
 * that name is never run then. Not true for `kill`, which ends other processes.
 */
export function isHarmlessBuiltin([name = "", first = ""]: readonly string[]): boolean {
  if (name === "command") return /^-[vV]$/.test(first);
  return name !== "kill" && (WITH_ANY_WORDS.has(name) || WITH_KNOWN_WORDS.has(name));
}

/** A builtin with its words, as written and as far as they are known. */
export interface BuiltinUse {
  readonly words: readonly string[];
  readonly command: Command;
  readonly isNumber: HoldsNumber;
}

/** The effect of a command that is bash's own; null for a program. */
export function builtinEffect(use: BuiltinUse): ShellEffect | null {
  const [name = "", ...rest] = use.words;
  if (WITH_ANY_WORDS.has(name)) return NO_EFFECT;
  if (!isBuiltin(name)) return null;
  return knownEffect(name, rest, use) ?? doubtful(`it uses \`${name}\`, a keyword or builtin of bash`);
}

/** Null for words of an unknown form. */
function knownEffect(name: string, rest: readonly string[], use: BuiltinUse): ShellEffect | null {
  switch (name) {
    case "cd":
    case "pushd":
    case "popd":
      return { doubt: null, touches: [{ act: "move", path: targetOf(name, rest) }] };
    case "set":
      return isSetOptions(rest) ? NO_EFFECT : null;
    case "export":
      return exportEffect(use.command);
    case "unset":
      return unsetEffect(rest);
    case "read":
      return readEffect(rest);
    case "wait":
      return argumentsOf(use.command).every((one) => isWaitedFor(one, use.isNumber)) ? NO_EFFECT : null;
    case "hash":
      return rest.every((word) => !isOpaque(word) && (word === "-r" || !word.startsWith("-")))
        ? NO_EFFECT
        : null;
    case "jobs":
      return rest.every((word) => /^(-[lnprs]+|%?\w+)$/.test(word)) ? NO_EFFECT : null;
    case "command":
      return /^-[vV]$/.test(rest[0] ?? "") ? NO_EFFECT : null;
    case "printf":
      return isPlainFormat(rest[0] === "--" ? rest[1] : rest[0]) ? NO_EFFECT : null;
    case "test":
      return isPlainTest(rest, use) ? NO_EFFECT : null;
    case "[":
      return rest.at(-1) === "]" && isPlainTest(rest.slice(0, -1), use) ? NO_EFFECT : null;
    default:
      return null;
  }
}

/** The folder that a command changes to; null if only bash knows it: home, the last one, one of its stack. */
function targetOf(name: string, rest: readonly string[]): string | null {
  const [only, ...more] = /^(--|-[LP])$/.test(rest[0] ?? "") ? rest.slice(1) : rest;
  const isCertain = only !== undefined && more.length === 0 && !isOpaque(only) && !/^[-+]/.test(only);
  return isCertain && name !== "popd" ? only : null;
}

/** Options that end a script earlier or tell more: `-euxo pipefail`. */
function isSetOptions(words: readonly string[]): boolean {
  let isName = false;
  for (const word of words) {
    if (isName ? !OPTION_NAMES.has(word) : !/^[-+][euxvfC]*o?$/.test(word) || word.length < 2) return false;
    isName = !isName && word.endsWith("o");
  }
  return words.length > 0 && !isName;
}

const OPTION_NAMES: ReadonlySet<string> = new Set(
  "errexit nounset xtrace verbose noglob noclobber pipefail".split(" "),
);

/** Only by its very name: with any other spelling, such as `\export`, bash splits the values into more words. */
function exportEffect({ name, suffix }: Command): ShellEffect | null {
  if (name?.text !== "export") return null;
  const settings: VariableSetting[] = [];
  for (const one of suffix) {
    if (one.type === "Assignment") {
      settings.push({ name: one.name, value: assignedText(one), isExported: true });
    } else if (one.type === "Word") {
      const [, set, value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(textOf(one).text) ?? [];
      if (set === undefined) return null;
      settings.push({ name: set, value: value ?? null, isExported: true });
    }
  }
  return settingsEffect(settings);
}

/** The value of an assignment; null if only bash knows it. */
export function assignedText({ value, append }: Assignment): string | null {
  if (value.type !== "Word" || append === true) return null;
  const { text, isKnown } = textOf(value);
  return isKnown && !isOpaque(text) ? text : null;
}

/** The effect of setting variables: the first doubt, and all of them. */
export function settingsEffect(settings: readonly VariableSetting[]): ShellEffect {
  return {
    doubt: settings.map(doubtAboutVariable).find((doubt) => doubt !== null) ?? null,
    touches: settings.map(({ name }) => ({ act: "set", name })),
  };
}

function namesEffect(names: readonly string[]): ShellEffect {
  return settingsEffect(names.map((name) => ({ name, value: null, isExported: false })));
}

function unsetEffect(rest: readonly string[]): ShellEffect | null {
  const names = /^(-[vf]|--)$/.test(rest[0] ?? "") ? rest.slice(1) : rest;
  return names.some(isOpaque) ? null : namesEffect(names);
}

/** Options of `read` without a value, and with one of any text or of a number. With `-a`, `-e` and `-i` it does more. */
const READ_OPTIONS = /^-[rs]+$/;
const READ_TEXT = /^-[rs]*[dp]$/;
const READ_NUMBER = /^-[rs]*[nNtu]$/;
const NUMBER = /^\d+(\.\d+)?$/;

function readEffect(rest: readonly string[]): ShellEffect | null {
  if (rest.some(isOpaque)) return null;
  let at = 0;
  for (; at < rest.length && rest[at]?.startsWith("-") === true; at += 1) {
    const word = rest[at] ?? "";
    if (READ_OPTIONS.test(word) || /^-[rs]*[nNtu]\d+(\.\d+)?$/.test(word)) continue;
    at += 1;
    if (READ_TEXT.test(word) ? at === rest.length : !READ_NUMBER.test(word) || !NUMBER.test(rest[at] ?? ""))
      return null;
  }
  // Without a name it sets `REPLY`, which nothing obeys.
  return at === rest.length
    ? { doubt: null, touches: [{ act: "set", name: "REPLY" }] }
    : namesEffect(rest.slice(at));
}

/** The words of a command after its name, without redirects. */
function argumentsOf({ suffix }: Command): readonly (Word | Assignment)[] {
  return suffix.filter((one) => one.type === "Word" || one.type === "Assignment");
}

/** A process by its number or that of its job. An unknown word may be `-p`, which calculates an index. */
function isWaitedFor(one: Word | Assignment, isNumber: HoldsNumber): boolean {
  return one.type === "Word" && (/^(-n|-f|%?\w+|%[%+-])$/.test(one.text) || isNumberWord(one, isNumber));
}

/** A format of `printf` that sets the variable which its argument names (printf(1), `%n`). */
const COUNTS = /%[-+ #0'*\d.hljztL]*n/;

function isPlainFormat(format: string | undefined): boolean {
  return format !== undefined && !isOpaque(format) && !format.startsWith("-") && !COUNTS.test(format);
}

const UNARY = /^-[abcdefghknprstuwxzGLNOS]$/;
const BINARY = /^(=|==|!=|<|>|-(nt|ot|ef|eq|ne|lt|le|gt|ge))$/;

/**
 * True if `test` surely calculates no index, as `-v` does. With unknown words its operators must be at fixed places:
 * `[ "$x" "$y" ]` is `[ -v "$y" ]` if `x` is `-v`.
 */
function isPlainTest(words: readonly string[], { command, isNumber }: BuiltinUse): boolean {
  if (words.some((word) => /^-[vR]/.test(word))) return false;
  if (!words.some(isOpaque)) return true;
  const given = argumentsOf(command).slice(0, words.length);
  if (!given.every((one) => one.type === "Word" && isOneWord(one, isNumber))) return false;
  const [first = "", second = "", third = ""] = words;
  switch (words.length) {
    case 1:
      return true;
    case 2:
      return UNARY.test(first) || first === "!";
    case 3:
      return BINARY.test(second) || (first === "!" && UNARY.test(second));
    case 4:
      return first === "!" && BINARY.test(third);
    default:
      return false;
  }
}

/** True for a builtin that is a program too, with the same effect. */
export function isAlsoProgram(name: string): boolean {
  return ["echo", "printf", "test", "[", "pwd", "true", "false", "kill"].includes(name);
}
