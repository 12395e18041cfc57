import type { Presentation } from "../policy/presentation.ts";
import type { HighlightedLines } from "./highlighted-lines.ts";
import type { Ink } from "./ink.ts";
import type { LineTint } from "./rows.ts";

/** Colours visible lines of a presentation, and nothing else: pieces that do not make up the line are not used. */
export function lineTintOf({ type }: Presentation, highlighted: HighlightedLines, ink: Ink): LineTint | null {
  if (type === "diff") return (line) => [{ text: line, tint: diffTint(line, ink) }];
  if (highlighted.size === 0) return null;
  const tints = {
    plain: (text: string) => text,
    name: (text: string) => text,
    keyword: ink.bold,
    string: ink.good,
    number: ink.warn,
    comment: ink.dim,
  } as const;
  return (line) => (highlighted.get(line) ?? []).map(({ text, kind }) => ({ text, tint: tints[kind] }));
}

function diffTint(line: string, ink: Ink): (text: string) => string {
  if (line.startsWith("+")) return ink.good;
  if (line.startsWith("-")) return ink.bad;
  return line.startsWith("@@") ? ink.dim : (text) => text;
}
