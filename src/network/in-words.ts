import { escapeInvisible, thrownText } from "../errors.ts";

/** So much of an error is told. */
const MOST_REASON = 500;

/** An error on one line, cut: a server may put its own words into it. That of several addresses has none itself. */
export function inWords(error: unknown): string {
  const text = escapeInvisible(thrownText(error));
  return text === "" ? "nobody answers at any of its addresses" : text.slice(0, MOST_REASON);
}
