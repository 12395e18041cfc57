import { indented } from "../channel/columns.ts";
import { escapeInvisible } from "../errors.ts";
import type { Print } from "./print.ts";

/** Prints a heading of results, below an empty line. */
export function printTitle(text: string, print: Print): void {
  print.result();
  print.result(print.ink.bold(escapeInvisible(text)));
}

/** Prints lines below a heading; nothing if there are none. */
export function printPart(heading: string, lines: readonly string[], print: Print): void {
  if (lines.length === 0) return;
  printTitle(heading, print);
  for (const line of indented(lines)) print.result(line);
}
