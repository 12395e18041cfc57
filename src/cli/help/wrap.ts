/** Width of help texts, in columns. */
export const HELP_WIDTH = 80;

/** Maximum width of the first column of a table. */
const MAX_TERM = 31;

/** A word with the commands in backticks that it contains; these are not broken. */
const WORD = /(?:`[^`]*`|[^ `])+/g;

/** A paragraph as lines that fit. A longer word gets a line of its own. */
export function wrapped(text: string, width = HELP_WIDTH): readonly string[] {
  const lines: string[] = [];
  for (const word of text.match(WORD) ?? []) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Rows of two indented columns; the second is wrapped, and starts on the next line after a term that is too wide. */
export function rowLines(
  rows: readonly (readonly [term: string, text: string])[],
  column = widest(rows.map(([term]) => term)),
): readonly string[] {
  const indent = " ".repeat(column + 4);
  return rows.flatMap(([term, text]) => {
    const lines = wrapped(text, HELP_WIDTH - indent.length);
    const [first = "", ...rest] = lines;
    if (term.length > column) return [`  ${term}`, ...lines.map((line) => `${indent}${line}`)];
    return [`  ${term.padEnd(column)}  ${first}`, ...rest.map((line) => `${indent}${line}`)];
  });
}

/** The width of the first column: the longest term, up to a limit. */
export function widest(terms: readonly string[]): number {
  return Math.min(MAX_TERM, Math.max(0, ...terms.map((term) => term.length)));
}
