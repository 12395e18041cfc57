import { escapeInvisible } from "../errors.ts";
import { widthOf } from "./ink.ts";

/** A function that colours a column's cells. */
export type Tint = (text: string) => string;

/** Rows as aligned lines, made visible. The last cell of a row is not padded. `tints` colour columns, by position. */
export function columns(
  rows: readonly (readonly string[])[],
  tints: readonly (Tint | undefined)[] = [],
): readonly string[] {
  const cells = rows.map((row) => row.map(escapeInvisible));
  const written = cells.map((row) => row.slice(0, row.findLastIndex((cell) => cell !== "") + 1));
  const widths: number[] = [];
  for (const row of written)
    for (const [at, cell] of row.slice(0, -1).entries())
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  return written.map((row) =>
    row
      .map((cell, at) => {
        const tinted = (tints[at] ?? ((text) => text))(cell);
        return at === row.length - 1 ? tinted : `${tinted}${" ".repeat((widths[at] ?? 0) - widthOf(cell))}`;
      })
      .join("  "),
  );
}

/** Lines, each moved to the right. */
export function indented(lines: readonly string[], by = 2): readonly string[] {
  return lines.map((line) => (line === "" ? "" : `${" ".repeat(by)}${line}`));
}
