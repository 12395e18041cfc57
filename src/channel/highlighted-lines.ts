import type { Presentation } from "../policy/presentation.ts";
import { loadHighlighter, type Span } from "./highlight.ts";
import { visibleLine } from "./visible-unit.ts";

/** The parts of lines, by the lines as they are shown. */
export type HighlightedLines = ReadonlyMap<string, readonly Span[]>;

/** A longer content has no colours: to look through it would keep everything else waiting. */
const MOST_CHARACTERS = 64 * 1024;

/**
 * The lines of a file's content in their parts; none of a language that is not known. Read as a whole, once. A command
 * has no colours: what a highlighter takes for a comment may be the part of it that does the harm.
 */
export async function highlightedLines({ type, content, language }: Presentation): Promise<HighlightedLines> {
  const lines = new Map<string, readonly Span[]>();
  if (type !== "file_content" || language === undefined || content.length > MOST_CHARACTERS) return lines;
  const highlight = await loadHighlighter(language);
  let line: Span[] = [];
  const end = (): void => {
    const text = line.map((span) => span.text).join("");
    if (!lines.has(text)) lines.set(text, line);
    line = [];
  };
  const visible = content.split("\n").map((one) => visibleLine(one, "lines"));
  for (const { text, kind } of highlight(visible.join("\n"))) {
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) end();
      if (part !== "") line.push({ text: part, kind });
    }
  }
  end();
  return lines;
}
