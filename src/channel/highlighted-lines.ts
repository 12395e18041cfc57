import type { Presentation } from "../policy/presentation.ts";
import { type HighlightSpan, loadHighlighter } from "./highlight.ts";
import { visibleLine } from "./visible-unit.ts";

/** The parts of lines, keyed by the line as it is shown. */
export type HighlightedLines = ReadonlyMap<string, readonly HighlightSpan[]>;

/** A longer content has no colours: to parse it would block everything else. */
const MAX_CHARACTERS = 64 * 1024;

/** A file's lines, parsed as a whole. Commands have no colours: a harmful part may be taken for a comment. */
export async function highlightedLines({ type, content, language }: Presentation): Promise<HighlightedLines> {
  const lines = new Map<string, readonly HighlightSpan[]>();
  if (type !== "file_content" || language === undefined || content.length > MAX_CHARACTERS) return lines;
  const highlight = await loadHighlighter(language);
  let line: HighlightSpan[] = [];
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
