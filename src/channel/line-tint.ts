import type { Presentation } from "../policy/presentation.ts";
import type { Ink } from "./ink.ts";
import type { LineTint } from "./rows.ts";

/**
 * How the lines of a presentation are coloured, if at all: the one place where content gets its colours. It is given
 * lines that are visible already, and only colours come out of it: pieces that are not the line are not used.
 */
export function lineTintOf({ type }: Presentation, ink: Ink): LineTint | null {
  switch (type) {
    case "diff":
      return (line) => [{ text: line, tint: diffTint(line, ink) }];
    case "file_content":
    case "command":
    case "structured":
    case "text":
      return null;
  }
}

function diffTint(line: string, ink: Ink): (text: string) => string {
  if (line.startsWith("+")) return ink.good;
  if (line.startsWith("-")) return ink.bad;
  return line.startsWith("@@") ? ink.dim : (text) => text;
}
