import type { ToolCard } from "../../decide/tool-cards.ts";
import { CofferdamError, visible } from "../../errors.ts";

/** The selected cards, by the names for the model. Throws `USAGE` for an unknown tool. */
export function namedCards(
  cards: readonly ToolCard[],
  prefix: string,
  only: readonly string[] | undefined,
): ReadonlyMap<string, ToolCard> {
  const missing = only?.find((name) => cards.every((card) => card.name !== name));
  if (missing !== undefined)
    throw new CofferdamError("USAGE", `unknown tool ${visible(missing)}`, {
      hint: `use one of: ${cards.map(({ name }) => visible(name)).join(", ")}`,
    });
  const wanted = only === undefined ? cards : cards.filter(({ name }) => only.includes(name));
  return new Map(wanted.map((card) => [`${prefix}${card.name}`, card]));
}
