import { parse as parseTokens } from "shell-quote";
import { forEachChild, parse, type SyntaxNode, type Word } from "unbash";
import { isOfShell } from "./builtins.ts";
import { NOT_PARSED, PieceReading } from "./piece-reading.ts";
import type { SimpleCommand } from "./simple-command.ts";
import { isWholePlain } from "./syntax.ts";
import type { ShellTouch } from "./touch.ts";
import { isOpaque, OPAQUE, withLinesJoined } from "./word.ts";

/** A line of bash, taken apart. */
export interface ParsedLine {
  /** Every simple command anywhere in it, also in parts that are not understood. */
  readonly commands: readonly SimpleCommand[];
  /** Files that bash itself opens, folders that it changes to, variables that it sets; not those of its programs. */
  readonly touches: readonly ShellTouch[];
  /** Why other programs may run than `commands`, such as `it has a substitution`; empty if no others can. */
  readonly unread: readonly string[];
  /** Its words if it is one program with plain words and nothing else, so that it runs without a shell. */
  readonly plain: readonly [string, ...string[]] | null;
}

/** A longer line is read in pieces, each of which may begin in the middle of something. */
const MAX_PIECE = 32 * 1024;
/** The maximum of simple commands of one line: each is looked up and compared with every rule. */
export const MAX_COMMANDS = 4_000;
/**
 * The maximum of times that a line is read, and of characters in all. The parser reads the content of a word, a
 * substitution or a calculation only on request, and then again: with `$($($(…` each level costs the whole rest. Real
 * scripts are read about three times.
 */
const MAX_TIMES_READ = 16;
const MAX_READ = 256 * 1024;
/** The characters that are always read: in a short line each part costs more than its characters. */
const LEAST_READ = 1_024;
/** The additional cost of each part of a line, in characters. */
const NODE_COST = 8;
/**
 * The maximum cost of a line: characters times levels times the cost of a level. The parser reads `${…}` and `((`
 * immediately, and again for each one around, up to 256. A script of 6,000 characters never costs more.
 */
const MAX_EFFORT = 6_400_000;
const MAX_LEVELS = 256;
const LEVELS = [
  { opens: /\$\{/g, costs: 4 },
  { opens: /\((?=\()/g, costs: 1 },
] as const;
/** A `${` in which nothing can be nested, to its end. */
const PLAIN_PARAMETER = /\$\{[^${}()[\]<>`'"\\]*\}/g;
/** For each here-document the parser looks through all that are open. */
const MAX_HERE_DOCUMENTS = 1_000;
/** Nodes that the parser reads immediately with everything around them. */
const STRUCTURE: ReadonlySet<SyntaxNode["type"]> = new Set([
  ...(["Script", "CompoundList", "AndOr", "Statement", "Command", "Pipeline", "Redirected"] as const),
  ...(["If", "Elif", "For", "Select", "While", "Function", "Coproc", "Case", "CaseItem"] as const),
  ...(["Subshell", "BraceGroup"] as const),
]);
/** The maximum of words held together as one command in unparsable text, and of words shared by two of them. */
const MAX_RAW_WORDS = 100;
const RAW_OVERLAP = 8;
/** Characters that a person does not see, or that some programs take for a blank or the end of a line. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]|(?! )\p{Zs}/u;

/**
 * Takes a line of bash apart, as bash 5.2 reads it when it is not interactive. Never throws. Takes time linear in the
 * line.
 *
 * The law, for a line with an empty `unread` and every run of bash 5.2 on it, in an environment without the variables
 * that bash obeys (`BASH_ENV`, `BASH_FUNC_*`, `CDPATH`, `IFS`, `PS4`, … of `obeyed-names.ts`):
 * 1. Each program that bash itself starts is one of `commands`, with its words; an opaque word stands for any words.
 * 2. Each file that bash itself opens is in `touches`, apart from the programs' own files, folders that a pattern for
 *    file names searches, its temporary files for here-documents, and what the system's libraries read.
 * 3. Its working folder is the first one, or one that the moves in `touches` lead to.
 * 4. Each variable that it changes is in `touches`, or is one that bash keeps for itself, as `OLDPWD` and `_`.
 *
 * The set of understood forms is closed. Bash calculates with no text that the line does not show: it would run what
 * stands in an index (`a[$(x)]`). It sets no variable but those of `doubtAboutVariable`. Everything else is reported in
 * `unread`, and its commands are listed as far as they are found.
 */
export function parseLine(line: string): ParsedLine {
  const unseen = UNSEEN.test(line) ? ["it has invisible characters"] : [];
  const reader = new LineReader(line.length);
  if (line.length <= MAX_PIECE) {
    const read = reader.read(line, true);
    const joined = isJoined(line) ? reader.read(withLinesJoined(line).replace(/\\$/u, ""), false) : null;
    const torn = joined === null ? [] : ["a word or an operator may continue in the next line"];
    const unread = [...new Set([...unseen, ...torn, ...read.unread])];
    const commands = distinct([...read.commands, ...(joined?.commands ?? [])]);
    return { commands, touches: read.touches, unread, plain: unread.length === 0 ? read.plain : null };
  }
  const pieces = piecesOfLine(line).map((piece) => reader.read(piece, false));
  return {
    commands: distinct([...pieces.flatMap(({ commands }) => commands), ...rawCommands(line)]),
    touches: [],
    unread: [`it is longer than ${MAX_PIECE} characters`, ...unseen],
    plain: null,
  };
}

/**
 * True if a backslash at the end of a line follows anything but a blank. bash removes both before it reads on, so that
 * `1\⏎2>x` holds the descriptor 12, `&\⏎>x` is `&>x` and `$\⏎x` a variable; the parser takes them apart. Also true if
 * the text ends in a backslash: bash 5.2 drops it after a multi-line quote, else it belongs to the word.
 */
function isJoined(line: string): boolean {
  return [...line.matchAll(/(^|[^\\])(\\+)(\n|$)/gu)].some(
    ([, before = "", { length } = "", end]) =>
      length % 2 === 1 && (length > 1 || end === "" || !/^[ \t\n]?$/u.test(before)),
  );
}

class LineReader {
  #left: number;
  #effort = MAX_EFFORT;
  #commands = 0;

  constructor(length: number) {
    this.#left = LEAST_READ + Math.min(MAX_TIMES_READ * length, MAX_READ);
  }

  read(piece: string, mayBePlain: boolean): ParsedLine {
    const reading = new PieceReading(piece);
    try {
      this.#assertReadable(piece);
      const script = parse(piece);
      this.#visit(script, null, reading);
      const { commands, touches, unread } = reading.found();
      const plain = unread.length === 0 ? plainWords(script.commands.length, commands) : null;
      const isAgreed = !mayBePlain || plain === null || !isOneCommand(script) || agrees(piece, plain);
      const found = unread.includes(NOT_PARSED) ? [...commands, ...rawCommands(piece)] : commands;
      const reasons = isAgreed ? unread : [...unread, "two parsers disagree about it"];
      return {
        commands: found,
        touches,
        unread: reasons,
        plain: isOneCommand(script) && isAgreed ? plain : null,
      };
    } catch {
      // The parser gave up, or the nesting is too deep: the words are still compared with rules that deny.
      const { commands, touches, unread } = reading.found();
      return {
        commands: [...commands, ...rawCommands(piece)],
        touches,
        unread: [...unread, NOT_PARSED],
        plain: null,
      };
    }
  }

  /** Overestimates levels: each opening counts as if it contained everything after it. Throws `RangeError`. */
  #assertReadable(piece: string): void {
    const nested = piece.replace(PLAIN_PARAMETER, "");
    for (const { opens, costs } of LEVELS)
      this.#effort -= piece.length * costs * Math.min(countOf(opens, nested), MAX_LEVELS);
    if (this.#left < piece.length || this.#effort < 0 || countOf(/<</g, piece) > MAX_HERE_DOCUMENTS)
      throw new RangeError("it is too long to be parsed");
  }

  /** Reports inner parts first: for `"$(x)"` the substitution, then the unknown word. */
  #visit(node: SyntaxNode, parent: SyntaxNode | null, reading: PieceReading): void {
    this.#left -= NODE_COST + (STRUCTURE.has(node.type) ? 0 : node.end - node.pos);
    if (node.type === "Command") this.#commands += 1;
    if (this.#left < 0 || this.#commands > MAX_COMMANDS) throw new RangeError("it is too long to be parsed");
    const words = reading.enter(node, parent);
    if (!isWholePlain(node)) forEachChild(node, (child) => this.#visit(child, node, reading));
    reading.leave(node, parent, words);
  }
}

function countOf(part: RegExp, text: string): number {
  return text.match(part)?.length ?? 0;
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

function plainWords(statements: number, [only, more]: readonly SimpleCommand[]): ParsedLine["plain"] {
  if (only === undefined || more !== undefined || statements !== 1) return null;
  return only.words.some(isOpaque) || isOfShell(only.words[0]) ? null : only.words;
}

/** The tripwire: another parser of words and quotes must find the same words (apart from a comment). */
function agrees(line: string, words: readonly string[]): boolean {
  const tokens = parseTokens(withLinesJoined(line));
  const last = tokens.at(-1);
  const found = typeof last === "object" && "comment" in last ? tokens.slice(0, -1) : tokens;
  return found.length === words.length && found.every((token, at) => token === words[at]);
}

function distinct(commands: readonly SimpleCommand[]): readonly SimpleCommand[] {
  const keyOf = ({ words, isFed }: SimpleCommand): string => JSON.stringify([words, isFed]);
  return [...new Map(commands.map((command) => [keyOf(command), command])).values()];
}

/** Cuts a long line at the ends of lines, or at blanks if a line is longer than a piece. */
function piecesOfLine(line: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < line.length; ) {
    const whole = line.slice(at, at + MAX_PIECE);
    const isLast = at + whole.length >= line.length;
    const cut = Math.max(whole.lastIndexOf("\n"), isLast ? whole.length - 1 : -1);
    const end = cut >= 0 ? cut : whole.lastIndexOf(" ");
    const piece = end < 0 ? whole : whole.slice(0, end + 1);
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
}

/**
 * The words of text that can't be parsed: cut at quotes, and with quotes left out (`r''m` may be two words or one).
 */
export function rawCommands(line: string): readonly SimpleCommand[] {
  const text = withLinesJoined(line);
  const unquoted = text.replace(/["'\\]/gu, "");
  return [text, ...(unquoted === text ? [] : [unquoted])].flatMap((one) => {
    const words = one.split(/[\s;&|<>(){}`"'$]+/u);
    const commands: SimpleCommand[] = [];
    for (let at = 0; at < words.length; at += MAX_RAW_WORDS) {
      commands.push({ words: [OPAQUE, ...words.slice(at, at + MAX_RAW_WORDS + RAW_OVERLAP)] });
    }
    return commands;
  });
}
