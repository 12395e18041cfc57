import { newlinesIn } from "../policy/newlines.ts";
import { type Head, headOf, linesOf } from "./head.ts";
import { printBytes } from "./media-type.ts";

/** How a presentation is made. */
export interface PresentOptions {
  /** What `content` holds, without the line that says what is missing; else 50 lines and 2,000 characters. */
  readonly most?: { readonly lines: number; readonly characters: number };
  /** Gives a text without the secrets in it. Done before anything is cut for showing. */
  readonly hide?: (text: string) => string;
}

const USUAL = { lines: 50, characters: 2_000 } as const;

/** A text as a presentation holds it: `fullContent` is there where `content` was cut. */
export interface Shown {
  readonly content: string;
  readonly fullContent?: string;
}

/** What is shown of a text: secrets hidden, then cut. Where something is missing, a last line says how much. */
export function shown(head: Head, { most = USUAL, hide = unchanged }: PresentOptions): Shown {
  const { text, rest } = headOf(hide(head.text), head.rest);
  const full = rest.bytes === 0 ? text : marked(text, rest.lines, [printBytes(rest.bytes)]);
  const end = endWithin(text, most);
  if (end === text.length) return { content: full };
  const after = text.slice(end);
  const lines = rest.bytes === 0 ? linesOf(after) : newlinesIn(after) + rest.lines;
  return { content: marked(text.slice(0, end), lines, []), fullContent: full };
}

/** The text, and a last line that says what is missing: so many lines, the first of them perhaps in part. */
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

/** Where a text is cut. The newline at the end of the last line is not counted, and a character is not cut in half. */
function endWithin(text: string, most: { readonly lines: number; readonly characters: number }): number {
  const end = endOfLine(text, most.lines);
  const isNewline = (at: number): boolean => text[at] === "\n";
  if ((isNewline(end - 1) ? end - 1 : end) <= most.characters) return end;
  if (isNewline(most.characters)) return most.characters + 1;
  const isHalf = (text.codePointAt(most.characters - 1) ?? 0) > 0xffff;
  return isHalf ? most.characters - 1 : most.characters;
}

function endOfLine(text: string, lines: number): number {
  let end = 0;
  for (let line = 0; line < lines && end < text.length; line += 1) {
    const newline = text.indexOf("\n", end);
    end = newline === -1 ? text.length : newline + 1;
  }
  return end;
}

function unchanged(text: string): string {
  return text;
}
