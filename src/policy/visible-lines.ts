import { escapeInvisible } from "../errors.ts";

/** Tabs reach to the next multiple of this. */
const TAB = 4;
/** How many letters `unusualLetters` names. */
const MOST_LETTERS = 5;

/**
 * A text of several lines as rows that can be printed: nothing in them is invisible, moves the cursor or breaks a line.
 * Split at every line break of Unicode; one other than `\n` or `\r\n` is also told at the end of its row (`\u{d}`),
 * since a terminal or an editor may take it for none. A tab is `→` and blanks.
 */
export function visibleLines(text: string): readonly string[] {
  const parts = text.split(/(\r\n|[\n\r\v\f\u0085\u2028\u2029])/);
  return parts.flatMap((row, index) => {
    if (index % 2 === 1) return [];
    const end = parts[index + 1] ?? "";
    return [visibleRow(row) + (end === "\n" || end === "\r\n" ? "" : escapeInvisible(end))];
  });
}

/** Up to five different letters of a text that are not ASCII, for a warning of look-alikes: each as `"а" U+0430`. */
export function unusualLetters(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [letter] of text.matchAll(/(?![A-Za-z])\p{L}/gu)) {
    found.add(letter);
    if (found.size === MOST_LETTERS) break;
  }
  return [...found].map((letter) => `"${escapeInvisible(letter)}" U+${codeOf(letter)}`);
}

function visibleRow(row: string): string {
  const [first = "", ...rest] = row.split("\t").map(escapeInvisible);
  let shown = first;
  let column = [...first].length;
  for (const part of rest) {
    const width = TAB - (column % TAB);
    shown += `→${" ".repeat(width - 1)}${part}`;
    column += width + [...part].length;
  }
  return shown;
}

function codeOf(letter: string): string {
  return (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
