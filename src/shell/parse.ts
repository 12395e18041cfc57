import { parse as parseTokens } from "shell-quote";
import { type Command, forEachChild, parse, type SyntaxNode, type Word } from "unbash";
import { isChanging, isOfShell } from "./builtins.ts";
import { doubtAbout } from "./syntax.ts";
import { isOpaque, isTorn, OPAQUE, piecesOf, textOf, withLinesJoined } from "./word.ts";

/** One simple command of a line: its words as a program gets them; `isOpaque` where only bash will know. */
export interface SimpleCommand {
  readonly words: readonly [string, ...string[]];
}

/** A line of bash, taken apart. */
export interface ParsedLine {
  /** Every simple command anywhere in it, also in what is not understood. */
  readonly commands: readonly SimpleCommand[];
  /** What in it nobody can be sure of, as `it has a substitution`; empty when all of it is understood. */
  readonly unread: readonly string[];
  /** Its words when it is one program with plain words and nothing else, so that no shell is needed to run it. */
  readonly plain: readonly [string, ...string[]] | null;
}

/** What `unread` holds of a line that has an error in it, or that the parser gave up on. */
export const NOT_PARSED = "it can't be parsed";

/** A longer line is read in pieces: the parser's time grows faster than the line. */
const MOST_AT_ONCE = 32 * 1024;
/** Of what can't be parsed, so many words are held together as one command, and so many belong to two of them. */
const MOST_RAW_WORDS = 100;
const RAW_OVERLAP = 8;
/** Characters that a person does not see, or that some programs take for a blank or the end of a line. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]|(?! )\p{Zs}/u;

/**
 * Takes a line of bash apart, as bash 5.2 reads it when it is not interactive. The world of what is understood is closed:
 * lists, pipes and groups of plain commands, quotes, file name patterns, redirects that open nothing, here-documents of
 * plain text. Everything else is told in `unread`, and its commands are listed as far as they are found. Never throws.
 */
export function parseLine(line: string): ParsedLine {
  const unseen = UNSEEN.test(line) ? ["it has characters that can't be seen"] : [];
  if (line.length <= MOST_AT_ONCE) {
    const read = readPiece(line);
    const joined = isJoined(line) ? readPiece(withLinesJoined(line).replace(/\\$/u, "")) : null;
    const torn = joined === null ? [] : ["a word or an operator of it may go on in the next line"];
    const unread = [...new Set([...unseen, ...torn, ...read.unread])];
    const commands = joined === null ? read.commands : distinct([...read.commands, ...joined.commands]);
    return { commands, unread, plain: unread.length === 0 ? read.plain : null };
  }
  const pieces = piecesOfLine(line).map(readPiece);
  return {
    commands: distinct([...pieces.flatMap(({ commands }) => commands), ...rawCommands(line)]),
    unread: [`it is longer than ${MOST_AT_ONCE} characters`, ...unseen],
    plain: null,
  };
}

/**
 * True where a backslash at the end of a line stands behind anything but a blank. bash takes both away before it reads on,
 * so that `1\⏎2>x` holds the descriptor 12, `&\⏎>x` is `&>x` and `$\⏎x` a variable; the parser takes them apart. And
 * where it ends in a backslash: bash 5.2 drops it behind a quote that goes over lines, else it belongs to the word.
 */
function isJoined(line: string): boolean {
  return [...line.matchAll(/(^|[^\\])(\\+)(\n|$)/gu)].some(
    ([, before = "", { length } = "", end]) =>
      length % 2 === 1 && (length > 1 || end === "" || !/^[ \t\n]?$/u.test(before)),
  );
}

function readPiece(line: string): ParsedLine {
  const commands: SimpleCommand[] = [];
  const unread: string[] = [];
  try {
    const script = parse(line);
    visit(script, commands, unread);
    const plain = unread.length === 0 ? plainWords(script.commands.length, commands) : null;
    const isAgreed = plain === null || !isOneCommand(script) || agrees(line, plain);
    if (!isAgreed) unread.push("two parsers read it in two ways");
    if (unread.includes(NOT_PARSED)) commands.push(...rawCommands(line));
    return { commands, unread, plain: isOneCommand(script) && isAgreed ? plain : null };
  } catch {
    // The parser gave up, as it may on what is nested too deep: the words are still held against rules that deny.
    return { commands: [...commands, ...rawCommands(line)], unread: [NOT_PARSED], plain: null };
  }
}

/** What stands inside is told first: of `"$(x)"` the substitution, then that the word is not known. */
function visit(node: SyntaxNode, commands: SimpleCommand[], unread: string[]): void {
  const command = node.type === "Command" ? commandOf(node) : null;
  if (command !== null) commands.push(command);
  forEachChild(node, (child) => visit(child, commands, unread));
  if (node.type === "Word" && isTorn(node)) unread.push(NOT_PARSED);
  if (node.type === "Script" && (node.errors?.length ?? 0) > 0) unread.push(NOT_PARSED);
  const doubt = doubtAbout(node) ?? (command === null ? null : doubtAboutWords(command.words));
  if (doubt !== null) unread.push(doubt);
}

function commandOf({ name, suffix }: Command): SimpleCommand | null {
  if (name === undefined) return null;
  const first = textOf(name).text;
  const rest = suffix.flatMap((one) => {
    if (one.type === "Word") return [textOf(one).text];
    return one.type === "Assignment" ? [one.text] : [];
  });
  return { words: [first, ...(isOpaque(first) ? piecesOf(name) : []), ...rest] };
}

function doubtAboutWords([name, ...rest]: SimpleCommand["words"]): string | null {
  if (isOpaque(name) || name === "") return "the name of a command is known to bash alone";
  // Behind `time`, in posix mode, it is an option of the program of that name.
  if (name.startsWith("-")) return "the name of a command begins like an option";
  return isChanging(name, rest) ? `it uses \`${name}\`, which is bash's own` : null;
}

/** A script of one statement whose only node is a command: no list, pipe, group, background, redirect or assignment. */
function isOneCommand({ commands: [only, more] }: ReturnType<typeof parse>): boolean {
  return (
    only?.command.type === "Command" &&
    more === undefined &&
    only.background !== true &&
    only.command.prefix.length === 0 &&
    only.command.suffix.every((one): one is Word => one.type === "Word")
  );
}

function plainWords(statements: number, [only]: readonly SimpleCommand[]): ParsedLine["plain"] {
  if (only === undefined || statements !== 1) return null;
  return only.words.some(isOpaque) || isOfShell(only.words[0]) ? null : only.words;
}

/** The tripwire: another parser, which knows words and quotes, must find the same words (a comment behind them aside). */
function agrees(line: string, words: readonly string[]): boolean {
  const tokens = parseTokens(withLinesJoined(line));
  const last = tokens.at(-1);
  const found = typeof last === "object" && "comment" in last ? tokens.slice(0, -1) : tokens;
  return found.length === words.length && found.every((token, at) => token === words[at]);
}

/** Each command once: what is said of one holds for all that are the same. */
function distinct(commands: readonly SimpleCommand[]): readonly SimpleCommand[] {
  return [...new Map(commands.map((command) => [JSON.stringify(command.words), command])).values()];
}

/** Cuts a long line at the ends of lines, or at blanks where a line is longer than a piece. */
function piecesOfLine(line: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < line.length; ) {
    const whole = line.slice(at, at + MOST_AT_ONCE);
    const isLast = at + whole.length >= line.length;
    const cut = Math.max(whole.lastIndexOf("\n"), isLast ? whole.length - 1 : -1);
    const end = cut >= 0 ? cut : whole.lastIndexOf(" ");
    const piece = end < 0 ? whole : whole.slice(0, end + 1);
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
}

/** The words of a text whose grammar is not understood, each of which may be a command. */
function rawCommands(line: string): readonly SimpleCommand[] {
  const words = withLinesJoined(line).split(/[\s;&|<>(){}`"'$]+/u);
  const commands: SimpleCommand[] = [];
  for (let at = 0; at < words.length; at += MOST_RAW_WORDS) {
    commands.push({ words: [OPAQUE, ...words.slice(at, at + MOST_RAW_WORDS + RAW_OVERLAP)] });
  }
  return commands;
}
