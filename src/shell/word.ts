import type { DoubleQuotedChild, Word, WordPart } from "unbash";

/**
 * Starts the placeholder of a word that only bash will know when it runs: a variable, a substitution, a pattern for
 * file names, a home folder. After it comes the certain start of the word: nothing, or the start of a pattern for file
 * names. No word of a call can equal it, as none can hold NUL.
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
/** Metacharacters of bash(1), without a backslash. */
const ENDS_WORDS = /(^|[^\\])(\\\\)*[ \t\n<>()|&;]/u;
/** A home folder: at the start, and after `=` and `:`, where bash takes a word for an assignment. */
const HOME = /(^|[=:])~/u;

/** The text of a word as bash gives it to a program (bash(1), QUOTE REMOVAL). */
export function textOf(word: Word): WordText {
  const { text, isKnown } = textOfParts(word);
  return { text, isKnown: isKnown && !hasBraces(unquotedOf(word)) };
}

/** True if bash may make several words of an unquoted one: `{a,b}`, `{1..3}`; quotes may be anywhere between. */
function hasBraces(text: string): boolean {
  const inside = text.slice(text.indexOf("{") + 1 || text.length, Math.max(text.lastIndexOf("}"), 0));
  return inside.includes(",") || inside.includes("..");
}

function unquotedOf({ text, parts = [] }: Word): string {
  if (parts.length === 0) return text;
  return parts.map((part) => (part.type === "Literal" || part.type === "Glob" ? part.text : "")).join("");
}

function textOfParts(word: Word): WordText {
  const parts = word.parts ?? [];
  if (parts.length === 0) return bareText(word.text, word.value);
  let text = "";
  let isKnown = true;
  let hasPattern = false;
  for (const part of parts) {
    const read = partText(part);
    isKnown &&= read.isKnown;
    if (part.type === "Glob") hasPattern = true;
    else if (isOpaque(read.text)) return { text: OPAQUE, isKnown: isKnown && areKnown(parts) };
    else if (!hasPattern) text += read.text;
  }
  return { text: hasPattern ? `${OPAQUE}${text}` : text, isKnown };
}

function areKnown(parts: readonly WordPart[]): boolean {
  return parts.every((part) => partText(part).isKnown);
}

function bareText(written: string, value: string): WordText {
  if (HOME.test(written)) return { text: OPAQUE, isKnown: true };
  return { text: value, isKnown: !EXPANDED.test(written) };
}

function partText(part: WordPart): WordText {
  switch (part.type) {
    case "Literal":
      return bareText(part.text, part.value);
    case "SingleQuoted":
      return { text: part.value, isKnown: true };
    case "AnsiCQuoted":
      return { text: part.value, isKnown: PLAIN_ESCAPES.test(part.text.slice(2, -1)) };
    case "DoubleQuoted":
      return quotedText(part.parts);
    case "LocaleString":
      return { ...quotedText(part.parts), isKnown: false };
    case "Glob":
      return { text: OPAQUE, isKnown: true };
    case "SimpleExpansion":
    case "ParameterExpansion":
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
    case "BraceExpansion":
      return { text: OPAQUE, isKnown: false };
  }
}

/** Between double quotes a backslash is literal, except before `$`, a backquote, `"`, a backslash and a line end. */
function quotedText(parts: readonly DoubleQuotedChild[]): WordText {
  if (parts.some((part) => part.type !== "Literal")) return { text: OPAQUE, isKnown: false };
  const written = parts.map((part) => part.text).join("");
  const text = written.replace(/\\([$`"\\]|\n)/gu, (_, next: string) => (next === "\n" ? "" : next));
  return { text, isKnown: !EXPANDED.test(written) };
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
