import { CofferdamError, visible } from "../../errors.ts";
import type { ToolCard } from "../../supervisor/tool-cards.ts";

/** The cards that are wanted, by the names that the model knows. Throws `USAGE` for a name that no tool has. */
export function namedCards(
  cards: readonly ToolCard[],
  prefix: string,
  only: readonly string[] | undefined,
): ReadonlyMap<string, ToolCard> {
  const missing = only?.find((name) => cards.every((card) => card.name !== name));
  if (missing !== undefined)
    throw new CofferdamError("USAGE", `no tool is called ${visible(missing)}`, {
      hint: `there are ${cards.map(({ name }) => visible(name)).join(", ")}`,
    });
  const wanted = only === undefined ? cards : cards.filter(({ name }) => only.includes(name));
  return new Map(wanted.map((card) => [`${prefix}${card.name}`, card]));
}
