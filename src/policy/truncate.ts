/** The beginning of a text, and how much of it is left out. */
export interface Truncated {
  readonly text: string;
  /** Lines of which nothing is left; an end of line at the very end starts no line. */
  readonly moreLines: number;
  /** In UTF-16 code units, as everywhere. */
  readonly moreCharacters: number;
}

/**
 * The beginning of a text, of at most so many lines and characters. Cut at the end of a line where one is in reach,
 * else between two characters as a person sees them: never within a surrogate pair, an accent's letter or an emoji.
 */
export function truncate(
  text: string,
  { lines = 50, characters = 2000 }: { readonly lines?: number; readonly characters?: number } = {},
): Truncated {
  const end = Math.min(linesEnd(text, lines), charactersEnd(text, characters));
  return { text: text.slice(0, end), moreLines: linesFrom(text, end), moreCharacters: text.length - end };
}

/** The first lines of a text; a longer one ends in `... [N more lines]`. */
export function truncateForDisplay(text: string, maxLines = 50): string {
  const { text: start, moreLines } = truncate(text, {
    lines: maxLines,
    characters: Number.POSITIVE_INFINITY,
  });
  return moreLines === 0 ? text : `${start}\n\n... [${moreLines} more lines]`;
}

/** Where the first `lines` lines end: before the line break, but behind one that ends the text. */
function linesEnd(text: string, lines: number): number {
  if (lines <= 0) return 0;
  let end = -1;
  for (let count = 0; count < lines; count += 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1 || end === text.length - 1) return text.length;
  }
  return beforeBreak(text, end);
}

function charactersEnd(text: string, characters: number): number {
  if (text.length <= characters) return text.length;
  const line = text.lastIndexOf("\n", characters);
  if (line > 0) return beforeBreak(text, line);
  // What is behind does not change where a character starts; the slice keeps the work bounded.
  const near = text.slice(0, 2 * characters + 2);
  return new Intl.Segmenter("en").segment(near).containing(characters)?.index ?? 0;
}

function beforeBreak(text: string, end: number): number {
  return text[end - 1] === "\r" ? end - 1 : end;
}

/** Lines that start at `end` or behind it. */
function linesFrom(text: string, end: number): number {
  const starts = text.slice(end, -1).split("\n").length - 1;
  return end === 0 && /^[^\r\n]/.test(text) ? starts + 1 : starts;
}
