/** A piece of text and its style. Text of others is `code` or `pre`: nothing in it becomes a link. */
export interface StyledPiece {
  readonly text: string;
  readonly style: "plain" | "bold" | "code" | "pre";
}

/** One row, or several that belong together. */
export type StyledLine = readonly StyledPiece[];

/** The start and length of a style, in UTF-16 units (https://core.telegram.org/bots/api#messageentity). */
export interface Entity {
  readonly type: "bold" | "code" | "pre";
  readonly offset: number;
  readonly length: number;
}

/** A text as Telegram takes it. Styles are given apart, by position; the text is never parsed as markup. */
export interface StyledText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Our own words. */
export function plain(text: string): StyledPiece {
  return { text, style: "plain" };
}

/** Our own words in bold. */
export function bold(text: string): StyledPiece {
  return { text, style: "bold" };
}

/** Lines below each other. */
export function styledText(lines: readonly StyledLine[]): StyledText {
  const entities: Entity[] = [];
  let text = "";
  for (const [index, line] of lines.entries()) {
    if (index > 0) text += "\n";
    for (const { text: piece, style } of line) {
      if (style !== "plain" && piece !== "")
        entities.push({ type: style, offset: text.length, length: piece.length });
      text += piece;
    }
  }
  return { text, entities };
}

/** Total length of the lines, in UTF-16 units. */
export function unitsOf(lines: readonly StyledLine[]): number {
  const inLines = lines.reduce((sum, line) => sum + line.reduce((all, { text }) => all + text.length, 0), 0);
  return inLines + Math.max(0, lines.length - 1);
}
