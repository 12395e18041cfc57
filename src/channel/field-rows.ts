import type { Ink } from "./ink.ts";
import type { Field } from "./request-text.ts";
import { allRows, ownRows } from "./rows.ts";

/** Rows of a text, and whether they are all of it. */
export interface Rows {
  readonly rows: readonly string[];
  readonly isWhole: boolean;
}

/** Maximum shown at first. */
const AT_FIRST = { lines: 50, characters: 2000 } as const;
/** Maximum of characters of a text under a short label, shown at first. */
const FIELD_CHARACTERS = 400;
/** Columns that a label takes beside a text. */
export const LABEL_COLUMNS = 11;
/** Width below which labels get rows of their own. */
const NARROW = 48;

/** A text beside its label, or below it on a narrow screen. A long text is cut. */
export function fieldRows(field: Field, width: number, ink: Ink): Rows {
  const text = field.text.length <= FIELD_CHARACTERS ? field.text : wholeStart(field.text, FIELD_CHARACTERS);
  const left = field.text.length - text.length;
  const more = left === 0 ? [] : moreRows(`${count(left)} more characters`, width, ink);
  return { rows: [...wholeFieldRows({ ...field, text }, width, ink), ...more], isWhole: left === 0 };
}

/** A text beside its label or below it, never cut. */
export function wholeFieldRows(field: Field, width: number, ink: Ink): readonly string[] {
  const { label } = field;
  if (!standsBeside(label, width)) return [...labelRows(label, width, ink), ...allRows(field, width, ink)];
  return besideLabel(allRows(field, width - LABEL_COLUMNS, ink), label, ink);
}

/** True if there is room for a text beside its label. */
export function standsBeside(label: string, width: number): boolean {
  return width >= NARROW && label.length < LABEL_COLUMNS;
}

/** The rows with the label before the first one. They must be `LABEL_COLUMNS` narrower than the screen. */
export function besideLabel(rows: readonly string[], label: string, ink: Ink): readonly string[] {
  return rows.map((row, index) => `${ink.bold((index > 0 ? "" : label).padEnd(LABEL_COLUMNS))}${row}`);
}

/** A label above its text. */
export function labelRows(label: string, width: number, ink: Ink): readonly string[] {
  return ownRows(label.split(" "), width, " ").map(ink.bold);
}

/** A content below its label, which can be cut to fewer rows. */
export interface ContentRows extends Rows {
  /** The same content in about `maxRows` rows at most. The number of missing lines or characters is shown. */
  cutTo(maxRows: number): readonly string[];
}

/** A content below its label. */
export function contentRows(field: Field, width: number, ink: Ink): ContentRows {
  const { shown, left } = cutContent(field.text);
  const label = labelRows(field.label, width, ink);
  const text = allRows({ ...field, text: shown }, width, ink);
  const more = left === null ? [] : moreRows(left, width, ink);
  const rows = [...label, ...text, ...more];
  const beyond = (missing: number): readonly string[] =>
    moreRows(`${count(missing)} more rows${left === null ? "" : ` and ${left}`}`, width, ink);
  return {
    rows,
    isWhole: left === null,
    cutTo: (maxRows) => {
      if (rows.length <= maxRows) return rows;
      const room = Math.max(1, maxRows - label.length - beyond(text.length).length);
      return [...label, ...text.slice(0, room), ...beyond(text.length - room)];
    },
  };
}

/** True if a text is short enough to be shown whole at first. */
export function isShort(text: string): boolean {
  return cutContent(text).left === null;
}

function moreRows(left: string, width: number, ink: Ink): readonly string[] {
  return ownRows(`… ${left}: [v] shows all`.split(" "), width, " ").map(ink.dim);
}

/** The beginning of a content, and the size of the rest in words. */
function cutContent(text: string): { readonly shown: string; readonly left: string | null } {
  let end = wholeStart(text, AT_FIRST.characters).length;
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (lines === AT_FIRST.lines) end = at;
  }
  if (end >= text.length) return { shown: text, left: null };
  const rest = text.slice(end);
  const more = rest.split("\n").length - 1;
  const left =
    more === 0 ? `${count(rest.length)} more characters` : `${count(more)} more line${more === 1 ? "" : "s"}`;
  return { shown: text.slice(0, end), left };
}

function count(of: number): string {
  return of.toLocaleString("en");
}

/** The first characters of a text, none cut in half. */
function wholeStart(text: string, max: number): string {
  const isInHalf = (text.codePointAt(max - 1) ?? 0) > 0xffff;
  return text.slice(0, isInHalf ? max - 1 : max);
}
