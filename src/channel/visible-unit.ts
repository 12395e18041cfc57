import { escapeInvisible } from "../errors.ts";

/** How a text is read: all in one line, or as lines in rows of their own. */
export type Manner = "line" | "lines";

/** The smallest part of a text within one row: a character with its marks, or an escape. */
export interface Unit {
  readonly shown: string;
  /** Maximum of columns that it takes. */
  readonly columns: number;
  /** Position of the next unit in the text. */
  readonly next: number;
}

const TAB = "→   ";
/** More marks on one letter would reach into the rows around it. */
const MAX_MARKS = 4;
/**
 * Besides the characters of `escapeInvisible`: unassigned ones, and letters written from right to left, because
 * terminals reorder the text around those (the blocks of bidi classes R and AL, DerivedBidiClass.txt).
 */
const DISTURBING =
  /[\p{Cn}\u{590}-\u{8ff}\u{fb1d}-\u{fdff}\u{fe70}-\u{feff}\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * The unit that begins at `at` in a text that ends at `end`. Nothing invisible is left and the result is unambiguous:
 * text that looks like an escape or a tab is escaped, and so is a blank at the end of a line.
 */
export function unitAt(text: string, at: number, end: number, manner: Manner): Unit {
  const character = characterAt(text, at);
  const next = at + character.length;
  if (character === "\t" && manner === "lines") return { shown: TAB, columns: columnsOf(TAB), next };
  const isMistakable =
    (character === " " && next >= end) ||
    (character === "\\" && text.startsWith("u{", next)) ||
    (character === "→" && manner === "lines" && (next >= end || text[next] === " "));
  if (isMistakable || isMark(character) || !isPlain(character)) {
    const shown = escaped(character);
    return { shown, columns: shown.length, next };
  }
  let shown = character;
  for (let marks = 0; marks < MAX_MARKS; marks += 1) {
    const mark = characterAt(text, at + shown.length);
    if (at + shown.length >= end || !isMark(mark) || !isPlain(mark)) break;
    shown += mark;
  }
  return { shown, columns: columnsOf(shown), next: at + shown.length };
}

/** A short text, or a line of one, made visible. */
export function visibleLine(text: string, manner: Manner = "line"): string {
  let shown = "";
  for (let at = 0; at < text.length; ) {
    const unit = unitAt(text, at, text.length, manner);
    shown += unit.shown;
    at = unit.next;
  }
  return shown;
}

/** Maximum of columns that a visible text takes in any terminal: possibly wide characters count as two. */
export function columnsOf(shown: string): number {
  let columns = 0;
  for (const character of shown) columns += character <= "~" || isMark(character) ? 1 : 2;
  return columns;
}

/** Up to five non-ASCII characters by look and number, to reveal look-alikes: `"а" U+0430`; null for none. */
export function notAscii(text: string): string | null {
  const MOST = 5;
  const others = new Set(text.match(/[^\0-\x7f]/gu));
  if (others.size === 0) return null;
  const named = [...others].slice(0, MOST).map((character) => {
    const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    return isPlain(character) && !isMark(character) ? `"${character}" ${number}` : number;
  });
  return [...named, ...(others.size > MOST ? [`and ${others.size - MOST} more`] : [])].join(", ");
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function isPlain(character: string): boolean {
  return escapeInvisible(character) === character && !DISTURBING.test(character);
}

function isMark(character: string): boolean {
  return character > "~" && /^\p{M}/u.test(character);
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
