import { bold, plain, type StyledLine } from "./styled-text.ts";
import { unitAt } from "./visible-unit.ts";

/** A text of others, as it is shown. `isWhole` is true if nothing of it is missing. */
export interface ForeignText {
  readonly lines: readonly StyledLine[];
  readonly isWhole: boolean;
}

/** Begins each row of a text with several rows: no row of ours begins like this. */
const GUTTER = "│ ";

/** A text after its label, in one row, with at most `max` units of it. */
export function oneLine(label: string, text: string, max: number): ForeignText {
  const { shown, isWhole } = visibleStart(text, max);
  const value = { text: shown, style: "code" } as const;
  const rest = isWhole ? "" : `… (cut: ${count(text.length)} characters in all)`;
  return {
    lines: [[bold(`${label}:`), plain(" "), shown === "" && isWhole ? plain("(empty)") : value, plain(rest)]],
    isWhole,
  };
}

/** The beginning of a text in one row, made visible: at most `max` units, no character cut in half. */
export function visibleStart(
  text: string,
  max: number,
): { readonly shown: string; readonly isWhole: boolean } {
  const { shown, next } = visiblePart(text, 0, text.length, "line", max);
  return { shown, isWhole: next >= text.length };
}

/** A text below its label, each row after a bar, in at most `max` units. `whereTheRest` names the rest's place. */
export function manyLines(label: string, text: string, max: number, whereTheRest: string): ForeignText {
  const head: StyledLine = [bold(`${label}:`)];
  const note = (shown: number): string =>
    `… cut here: ${count(shown)} of ${count(text.length)} characters are shown${whereTheRest}`;
  const around = label.length + 2 + note(text.length).length + 1;
  const whole = rowsWithin(text, max - label.length - 2);
  if (whole.next > text.length) return { lines: [head, [block(whole.rows)]], isWhole: true };
  const part = rowsWithin(text, max - around);
  const rows = part.rows.length === 0 ? [] : [[block(part.rows)]];
  return { lines: [head, ...rows, [plain(note(Math.min(part.next, text.length)))]], isWhole: false };
}

function block(rows: readonly string[]) {
  return { text: rows.join("\n"), style: "pre" } as const;
}

/** The rows that fit, and the position of the rest: beyond the text's end if all of it fits. */
function rowsWithin(text: string, max: number): { readonly rows: readonly string[]; readonly next: number } {
  const rows: string[] = [];
  let left = max;
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

/** The part of a text that fits, made visible, and the position of the rest. */
function visiblePart(
  text: string,
  from: number,
  end: number,
  manner: "line" | "lines",
  max: number,
): { readonly shown: string; readonly next: number } {
  let shown = "";
  let at = from;
  while (at < end) {
    const unit = unitAt(text, at, end, manner);
    if (shown.length + unit.shown.length > max) break;
    shown += unit.shown;
    at = unit.next;
  }
  return { shown, next: at };
}

function count(of: number): string {
  return of.toLocaleString("en");
}
