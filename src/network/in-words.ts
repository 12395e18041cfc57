import { escapeInvisible, thrownText } from "../errors.ts";

/** Maximum of characters reported of an error. */
const MAX_REASON = 500;

/** An error on one line, cut: it may hold a server's words. An error of several addresses has no message itself. */
export function inWords(error: unknown): string {
  const text = escapeInvisible(thrownText(error));
  return text === "" ? "none of its addresses answers" : text.slice(0, MAX_REASON);
}
