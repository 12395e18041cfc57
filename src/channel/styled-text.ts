/** A stretch of text, and how it stands out. What is not ours is `code` or `pre`: nothing in it becomes a link. */
export interface Piece {
  readonly text: string;
  readonly style: "plain" | "bold" | "code" | "pre";
}

/** One row, or several that belong together. */
export type Line = readonly Piece[];

/** Where a style begins and how far it reaches, in UTF-16 units (https://core.telegram.org/bots/api#messageentity). */
export interface Entity {
  readonly type: "bold" | "code" | "pre";
  readonly offset: number;
  readonly length: number;
}

/**
 * A text as Telegram takes it: styles stand beside it, by place. It is never parsed, so nothing in it is markup.
 */
export interface StyledText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** Words of ours. */
export function plain(text: string): Piece {
  return { text, style: "plain" };
}

/** Words of ours that stand out. */
export function bold(text: string): Piece {
  return { text, style: "bold" };
}

/** Lines below each other. */
export function styledText(lines: readonly Line[]): StyledText {
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

/** How long lines are together, in UTF-16 units. */
export function unitsOf(lines: readonly Line[]): number {
  const inLines = lines.reduce((sum, line) => sum + line.reduce((all, { text }) => all + text.length, 0), 0);
  return inLines + Math.max(0, lines.length - 1);
}
