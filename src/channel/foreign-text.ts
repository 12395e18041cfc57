import { bold, type Line, plain } from "./styled-text.ts";
import { unitAt } from "./visible-unit.ts";

/** A text that is not ours, as it is shown; `isWhole` when nothing of it is missing. */
export interface Shown {
  readonly lines: readonly Line[];
  readonly isWhole: boolean;
}

/** Before each row of a text that has rows: none of ours begins like this. */
const GUTTER = "│ ";

/** A text behind its label, in one row, with at most `most` units of it. */
export function oneLine(label: string, text: string, most: number): Shown {
  const { shown, isWhole } = visibleStart(text, most);
  const value = { text: shown, style: "code" } as const;
  const rest = isWhole ? "" : `… (cut: ${count(text.length)} characters in all)`;
  return {
    lines: [[bold(`${label}:`), plain(" "), shown === "" && isWhole ? plain("(empty)") : value, plain(rest)]],
    isWhole,
  };
}

/** The beginning of a text in one row, made visible: at most `most` units, no character in half. */
export function visibleStart(
  text: string,
  most: number,
): { readonly shown: string; readonly isWhole: boolean } {
  const { shown, next } = visiblePart(text, 0, text.length, "line", most);
  return { shown, isWhole: next >= text.length };
}

/**
 * A text below its label, each row behind a bar, in at most `most` units; `whereTheRest` says where what is missing can be
 * seen.
 */
export function manyLines(label: string, text: string, most: number, whereTheRest: string): Shown {
  const head: Line = [bold(`${label}:`)];
  const note = (shown: number): string =>
    `… cut here: ${count(shown)} of ${count(text.length)} characters are shown${whereTheRest}`;
  const around = label.length + 2 + note(text.length).length + 1;
  const whole = rowsWithin(text, most - label.length - 2);
  if (whole.next > text.length) return { lines: [head, [block(whole.rows)]], isWhole: true };
  const part = rowsWithin(text, most - around);
  const rows = part.rows.length === 0 ? [] : [[block(part.rows)]];
  return { lines: [head, ...rows, [plain(note(Math.min(part.next, text.length)))]], isWhole: false };
}

function block(rows: readonly string[]) {
  return { text: rows.join("\n"), style: "pre" } as const;
}

/** The rows that fit, and where the text goes on; behind its end when all of it does. */
function rowsWithin(text: string, most: number): { readonly rows: readonly string[]; readonly next: number } {
  const rows: string[] = [];
  let left = most;
  let at = 0;
  while (at <= text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const room = left - GUTTER.length - (rows.length > 0 ? 1 : 0);
    if (room < 0) return { rows, next: at };
    const { shown, next } = visiblePart(text, at, end, "lines", room);
    if (next > at || end === at) rows.push(shown === "" ? GUTTER.trimEnd() : `${GUTTER}${shown}`);
    if (next < end) return { rows, next };
    left = room - shown.length;
    at = end + 1;
  }
  return { rows, next: at };
}

/** So much of a text as fits, made visible, and where it goes on. */
function visiblePart(
  text: string,
  from: number,
  end: number,
  manner: "line" | "lines",
  most: number,
): { readonly shown: string; readonly next: number } {
  let shown = "";
  let at = from;
  while (at < end) {
    const unit = unitAt(text, at, end, manner);
    if (shown.length + unit.shown.length > most) break;
    shown += unit.shown;
    at = unit.next;
  }
  return { shown, next: at };
}

function count(of: number): string {
  return of.toLocaleString("en");
}
