import { columnsOf } from "../channel/visible-unit.ts";

/** The characters of an id in a list. */
export const SHORT = 8;
/** The columns that stay empty below a row which begins with an id. */
const BELOW_ID = SHORT + 2;

/**
 * Rows of a visible line, none wider than the terminal: what does not fit goes on below, moved to the right. A row that
 * the terminal wraps by itself would begin where others do, and could pass for another one.
 */
export function hanging(line: string, width: number | null, by = BELOW_ID): readonly string[] {
  if (width === null || columnsOf(line) <= width) return [line];
  const rows: string[] = [];
  let [row, taken] = ["", 0];
  for (const character of line) {
    const columns = columnsOf(character);
    if (taken + columns > width && taken > by) {
      rows.push(row);
      [row, taken] = [" ".repeat(by), by];
    }
    row += character;
    taken += columns;
  }
  return [...rows, row];
}

/** A row with its id in a colour. */
export function startsIn(tint: (text: string) => string, row: string): string {
  return `${tint(row.slice(0, SHORT))}${row.slice(SHORT)}`;
}
