import { newlinesIn } from "../policy/newlines.ts";
import { headOf, linesOf, type TextHead } from "./head.ts";
import { printBytes } from "./media-type.ts";

/** Options for making a presentation. */
export interface PresentOptions {
  /** Maximum of `content`, without the line about the missing part; default: 50 lines and 2,000 characters. */
  readonly max?: { readonly lines: number; readonly characters: number };
  /** Removes the secrets from a text. Runs before any cut for showing. */
  readonly hide?: (text: string) => string;
}

const USUAL = { lines: 50, characters: 2_000 } as const;

/** The text of a presentation: `fullContent` is set if `content` was cut. */
export interface PresentedText {
  readonly content: string;
  readonly fullContent?: string;
}

/** The shown part of a text: secrets hidden, then cut. If something is missing, a last line says how much. */
export function shown(head: TextHead, { max = USUAL, hide = (text) => text }: PresentOptions): PresentedText {
  const { text, rest } = headOf(hide(head.text), head.rest);
  const full = rest.bytes === 0 ? text : marked(text, rest.lines, [printBytes(rest.bytes)]);
  const end = endWithin(text, max);
  if (end === text.length) return { content: full };
  const after = text.slice(end);
  const lines = rest.bytes === 0 ? linesOf(after) : newlinesIn(after) + rest.lines;
  return { content: marked(text.slice(0, end), lines, []), fullContent: full };
}

/** The text, and a last line about the missing part: the number of lines, the first of them perhaps in part. */
function marked(text: string, lines: number, also: readonly string[]): string {
  const isWithinLine = text !== "" && !text.endsWith("\n");
  const more = isWithinLine ? lines - 1 : lines;
  const missing = [
    ...(isWithinLine ? ["the rest of this line"] : []),
    ...(more === 0 ? [] : [`${more} more ${more === 1 ? "line" : "lines"}`]),
    ...also,
  ];
  return `${text}${isWithinLine ? "\n" : ""}... [${missing.join(", ")}]`;
}

/** The index where a text is cut. The final newline is not counted, and a character is not cut in half. */
function endWithin(text: string, max: { readonly lines: number; readonly characters: number }): number {
  const end = endOfLine(text, max.lines);
  const isNewline = (at: number): boolean => text[at] === "\n";
  if ((isNewline(end - 1) ? end - 1 : end) <= max.characters) return end;
  if (isNewline(max.characters)) return max.characters + 1;
  const isHalf = (text.codePointAt(max.characters - 1) ?? 0) > 0xffff;
  return isHalf ? max.characters - 1 : max.characters;
}

function endOfLine(text: string, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines && end < text.length; line += 1) {
    const newline = text.indexOf("\n", end);
    end = newline === -1 ? text.length : newline + 1;
  }
  return end;
}
