import type { DoubleQuotedChild, GlobPart, Word, WordPart } from "unbash";
import { isCount, plainName } from "./expansions.ts";

/**
 * Starts the placeholder of a word that only bash will know when it runs: a variable, a substitution, a pattern for
 * file names, a home folder. It stands for any number of words. After it comes the text with which each of them surely
 * begins, if there is any: `src/*`, `"src/$x"`. No word of a call can equal it, as none can hold NUL.
 */
export const OPAQUE = "\0";

/** True for the placeholder of a word that only bash will know. */
export function isOpaque(word: string): boolean {
  return word.startsWith(OPAQUE);
}

/** Without line continuations, as bash reads it outside of single quotes (bash(1), QUOTING). */
export function withLinesJoined(text: string): string {
  return text.replaceAll("\\\n", "");
}

/** A word after quote removal; `isKnown` is false if part of it may have been read wrongly. */
export interface WordText {
  readonly text: string;
  readonly isKnown: boolean;
}

/** Escapes of `$'…'` that mean one thing everywhere (bash(1), QUOTING); others depend on the locale or end a word. */
const PLAIN_ESCAPES = /^(?:[^\\]|\\[ntr\\'"])*$/su;
/** Text that bash would expand, where the parser sees plain text: a `$` or a backquote that goes on. */
const EXPANDED = /(^|[^\\])(\\\\)*(`|\$[\w({['"@*#?$!-])/u;

/** True for text that bash would expand, where the parser sees plain text. */
export function isExpandable(text: string): boolean {
  return EXPANDED.test(text);
}

/** Metacharacters of bash(1), without a backslash. */
const ENDS_WORDS = /(^|[^\\])(\\\\)*[ \t\n<>()|&;]/u;
/** A home folder: at the start, and after `=` and `:`, where bash takes a word for an assignment. */
const HOME = /(^|[=:])~/u;

/** Braces of plain text, one behind the other: `src/{a,b}.ts`, `{1..9}`. */
const PLAIN_BRACES = /^[\w./@%+:=-]*(\{[\w./,@%+:=-]*\}[\w./@%+:=-]*)+$/;

/**
 * True for text that bash may take for the variable of a redirect after it, where the parser sees a word: with
 * `{a['$(x)']}>&2` it calculates the index, including substitutions in quotes (bash 5.2, parse.y, `REDIR_WORD`).
 */
export function mayNameDescriptor(written: string): boolean {
  const text = withLinesJoined(written);
  return text.startsWith("{") && text.endsWith("}") && text.slice(1, -1).includes("[");
}

/** The text of a word as bash gives it to a program (bash(1), QUOTE REMOVAL). */
export function textOf(word: Word): WordText {
  const unquoted = unquotedOf(word);
  if (!hasBraces(unquoted)) return textOfParts(word);
  // Each of the words begins with the text before the braces.
  if (PLAIN_BRACES.test(word.text))
    return { text: `${OPAQUE}${word.text.slice(0, word.text.indexOf("{"))}`, isKnown: true };
  return { ...textOfParts(word), isKnown: false };
}

/** True if bash may make several words of an unquoted one: `{a,b}`, `{1..3}`; quotes may be anywhere between. */
function hasBraces(text: string): boolean {
  const inside = text.slice(text.indexOf("{") + 1 || text.length, Math.max(text.lastIndexOf("}"), 0));
  return inside.includes(",") || inside.includes("..");
}

function unquotedOf({ text, parts = [] }: Word): string {
  if (parts.length === 0) return text;
  return parts
    .map((part) =>
      part.type === "Literal" || part.type === "Glob" || part.type === "BraceExpansion" ? part.text : "",
    )
    .join("");
}

/** A part of a word: what it surely begins with, and what else is certain about it. */
interface PartText extends WordText {
  /** `fixed`: this very text; `open`: it goes on, within the same word; `split`: it may be several words, or none. */
  readonly end: "fixed" | "open" | "split";
}

function textOfParts({ text: written, value, parts = [] }: Word): WordText {
  if (parts.length === 0) return wordText([bareText(written, value)]);
  return wordText(parts.map((part) => partText(part, parts.length === 1)));
}

function wordText(parts: readonly PartText[]): WordText {
  const isKnown = parts.every((part) => part.isKnown);
  if (parts.some(({ end }) => end === "split")) return { text: OPAQUE, isKnown };
  const open = parts.findIndex(({ end }) => end === "open");
  const certain = parts.slice(0, open < 0 ? parts.length : open + 1).map(({ text }) => text);
  return { text: `${open < 0 ? "" : OPAQUE}${certain.join("")}`, isKnown };
}

function bareText(written: string, value: string): PartText {
  if (HOME.test(written)) return { text: "", end: "open", isKnown: true };
  return { text: value, end: "fixed", isKnown: !EXPANDED.test(written) };
}

function partText(part: WordPart, isAlone: boolean): PartText {
  switch (part.type) {
    case "Literal":
      return bareText(part.text, part.value);
    case "SingleQuoted":
      return { text: part.value, end: "fixed", isKnown: true };
    case "AnsiCQuoted":
      return { text: part.value, end: "fixed", isKnown: PLAIN_ESCAPES.test(part.text.slice(2, -1)) };
    case "DoubleQuoted":
      return quotedText(part.parts);
    case "LocaleString":
      return { ...quotedText(part.parts), isKnown: false };
    case "Glob":
      return { text: "", end: isSplit(part) ? "split" : "open", isKnown: true };
    case "ProcessSubstitution":
      return { text: "/dev/fd/", end: "open", isKnown: isAlone };
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "CommandExpansion":
    case "ArithmeticExpansion":
      return { text: "", end: "split", isKnown: true };
    case "ExtendedGlob":
    case "BraceExpansion":
      return { text: "", end: "split", isKnown: false };
  }
}

function isSplit({ parts = [] }: GlobPart): boolean {
  return parts.some((part) => part.type !== "Literal");
}

/** Between double quotes a backslash is literal, except before `$`, a backquote, `"`, a backslash and a line end. */
function quotedText(parts: readonly DoubleQuotedChild[]): PartText {
  const literals = parts.map((part) => (part.type === "Literal" ? part.text : ""));
  const isKnown = literals.every((text) => !EXPANDED.test(text));
  const open = parts.findIndex((part) => part.type !== "Literal");
  const written = literals.slice(0, open < 0 ? parts.length : open).join("");
  const text = written.replace(/\\([$`"\\]|\n)/gu, (_, next: string) => (next === "\n" ? "" : next));
  return { text, end: open < 0 ? "fixed" : parts.some(mayBeList) ? "split" : "open", isKnown };
}

/** True for `$@`, and what may hold it: several words, also between double quotes. */
function mayBeList({ type, text }: DoubleQuotedChild): boolean {
  return (type === "SimpleExpansion" || type === "ParameterExpansion") && /[@[]/.test(text);
}

/** True if a variable surely holds a number, or nothing, at a position of the line. */
export type HoldsNumber = (name: string, at: number) => boolean;

/** True if bash makes exactly one word of it: of plain text, of `"$x"`, of a number. */
export function isOneWord(word: Word, isNumber: HoldsNumber): boolean {
  const { text, isKnown } = textOf(word);
  if (!isKnown || hasBraces(unquotedOf(word))) return false;
  if (!isOpaque(text) || isNumberWord(word, isNumber)) return true;
  return (word.parts ?? []).every((part) => part.type !== "Glob" && partText(part, false).end !== "split");
}

/** True for a word that is one number, quoted or not: `12`, `$?`, `${#x}`, `$((…))`, and `$i` if `i` holds one. */
export function isNumberWord(word: Word, isNumber: HoldsNumber): boolean {
  if (/^\d+$/.test(word.text)) return true;
  const [only, ...more] = word.parts ?? [];
  const [inner, ...others] = only?.type === "DoubleQuoted" ? only.parts : [only];
  if (inner === undefined || more.length > 0 || others.length > 0) return false;
  if (inner.type === "ArithmeticExpansion") return true;
  if (inner.type !== "SimpleExpansion" && inner.type !== "ParameterExpansion") return false;
  const name = plainName(inner.text);
  return isCount(inner.text) || (name !== null && isNumber(name, inner.pos));
}

/** True for a word with a character in it that ends words: the parser lost its way, as unbash 6.0.4 does in `2>(x)`. */
export function isTorn({ text, parts = [] }: Word): boolean {
  if (parts.length === 0) return ENDS_WORDS.test(text);
  return parts.some((part) => part.type === "Literal" && ENDS_WORDS.test(part.text));
}

/** The plain pieces of an opaque word, for rules that deny: `rm$IFS-rf` holds `rm` and `-rf`, `{rm,x}` `rm` and `x`. */
export function piecesOf(word: Word): readonly string[] {
  // After the last `}` no `${` is closed, so none is searched: with `${${${…` each search would go to the end.
  const end = word.text.lastIndexOf("}") + 1;
  const closed = word.text.slice(0, end).replace(/\$\{[^}]*\}|\$[A-Za-z_]\w*|\$[^A-Za-z_]/gu, " ");
  const open = word.text.slice(end).replace(/\$[A-Za-z_]\w*|\$[^A-Za-z_]/gu, " ");
  const bare = `${closed}${open}`;
  return bare.split(/[\s{},`"'()<>]+/u).filter((piece) => piece !== "");
}
