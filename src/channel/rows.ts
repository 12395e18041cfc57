import type { Ink } from "./ink.ts";
import { columnsOf, type Manner, unitAt } from "./visible-unit.ts";

/** A part of a line in one colour. */
export interface ColouredPiece {
  readonly text: string;
  readonly tint: (text: string) => string;
}

/** Colours a line that has been made visible. Its pieces make up the line. */
export type LineTint = (line: string) => readonly ColouredPiece[];

/** Text of a request and its style. */
export interface Drawn {
  readonly text: string;
  readonly manner: Manner;
  readonly tint?: LineTint;
}

/** Some rows of a text, and the position of the rest. */
export interface RowsPart {
  readonly rows: readonly string[];
  readonly next: number;
}

/** Begins each row with text of others: the first row of a line, and its continuation. */
const GUTTER = { begins: "│ ", goesOn: "┊ " } as const;
/** Maximum width of a gutter, in columns. */
export const GUTTER_COLUMNS = columnsOf(GUTTER.begins);
const BLANK = "\\u{20}";
/** Characters of a line handled in one step, so that no line takes long. */
const MAX_AT_ONCE = 2000;

/**
 * The rows of the line (or the part of a long line) that begins at `at`, each after a gutter, none wider than `width`.
 * All rows of a text joined, without gutters, are the text made visible.
 */
export function partAt({ text, manner, tint }: Drawn, at: number, width: number, ink: Ink): RowsPart {
  const newline = manner === "lines" ? text.indexOf("\n", at) : -1;
  const lineEnd = newline < 0 ? text.length : newline;
  const end = lineEnd - at > MAX_AT_ONCE ? wholeCharacters(text, at + MAX_AT_ONCE) : lineEnd;
  const goesOn = at > 0 && (manner === "line" || text[at - 1] !== "\n");
  const shown = wrap(text, at, end, manner, width - GUTTER_COLUMNS);
  const painted = tint === undefined || goesOn ? shown : paint(shown, tint(shown.join("")));
  return {
    rows: painted.map((row, index) => {
      const gutter = goesOn || index > 0 ? GUTTER.goesOn : GUTTER.begins;
      return `${ink.dim(row === "" ? gutter.trimEnd() : gutter)}${row}`;
    }),
    next: end === newline ? end + 1 : Math.max(end, at + 1),
  };
}

/** True if the text has no rows from here on. An empty line at the end is a row. */
export function isAtEnd({ text, manner }: Drawn, at: number): boolean {
  return at > text.length || (at === text.length && at > 0 && !(manner === "lines" && text[at - 1] === "\n"));
}

/** All rows of a short text. */
export function allRows(drawn: Drawn, width: number, ink: Ink): readonly string[] {
  const rows: string[] = [];
  for (let at = 0; !isAtEnd(drawn, at); ) {
    const part = partAt(drawn, at, width, ink);
    rows.push(...part.rows);
    at = part.next;
  }
  return rows;
}

/** The beginning of a text in one row. `…` marks a cut. */
export function oneRow(text: string, width: number, ink: Ink): string {
  const MORE = "…";
  let [shown, kept, taken] = ["", "", 0];
  for (let at = 0; at < text.length; ) {
    const unit = unitAt(text, at, text.length, "line");
    taken += unit.columns;
    if (taken > width) return `${kept}${ink.dim(MORE)}`;
    shown += unit.shown;
    if (taken <= width - columnsOf(MORE)) kept = shown;
    at = unit.next;
  }
  return shown;
}

/** Our own words in as many rows as they need. */
export function ownRows(words: readonly string[], width: number, between = "  "): readonly string[] {
  const rows: string[] = [];
  let row = "";
  for (const word of words) {
    if (row !== "" && columnsOf(row) + between.length + columnsOf(word) > width) {
      rows.push(row);
      row = "";
    }
    row += row === "" ? word : `${between}${word}`;
  }
  return row === "" ? rows : [...rows, row];
}

/** A line cut into rows. Only the last row may end with a blank: it would be invisible in others. */
function wrap(text: string, from: number, end: number, manner: Manner, columns: number): readonly string[] {
  const rows: string[] = [];
  let [row, taken] = ["", 0];
  for (let at = from; at < end; ) {
    const unit = unitAt(text, at, end, manner);
    if (taken + unit.columns <= columns) {
      row += unit.shown;
      taken += unit.columns;
      at = unit.next;
      continue;
    }
    const isBlank = row.trimEnd() === "";
    const cut = isBlank ? Math.min(row.length, columns - BLANK.length + 1) : row.trimEnd().length;
    rows.push(isBlank ? `${" ".repeat(cut - 1)}${BLANK}` : row.slice(0, cut));
    row = row.slice(cut);
    taken = row.length;
  }
  return [...rows, row];
}

/** Rows with the colours of their line's pieces; plain if the pieces do not make up the line. */
function paint(rows: readonly string[], pieces: readonly ColouredPiece[]): readonly string[] {
  if (pieces.map((piece) => piece.text).join("") !== rows.join("")) return rows;
  const left = [...pieces];
  return rows.map((row) => {
    let painted = "";
    for (let missing = row.length; missing > 0; ) {
      const piece = left.shift();
      if (piece === undefined) break;
      painted += piece.tint(piece.text.slice(0, missing));
      if (piece.text.length > missing) left.unshift({ ...piece, text: piece.text.slice(missing) });
      missing -= Math.min(missing, piece.text.length);
    }
    return painted;
  });
}

/** The same position, or the one before if it is within a character. */
function wholeCharacters(text: string, at: number): number {
  const code = text.codePointAt(at - 1) ?? 0;
  return code > 0xffff ? at - 1 : at;
}
