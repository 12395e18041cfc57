import type { IncomingMessage } from "node:http";
import { type Refusal, refusal } from "./refusal.ts";

/**
 * Why the body behind a head can't be read; null where it can. Without `chunked` at its end nobody knows how long it is
 * (https://www.rfc-editor.org/rfc/rfc9112#section-6.3), and other codings are none that we undo (section 6.1).
 */
export function misframed({ headers }: Pick<IncomingMessage, "headers">): Refusal | null {
  const codings = headers["transfer-encoding"]?.split(",").map((coding) => coding.trim().toLowerCase());
  if (codings === undefined) return null;
  if (codings.at(-1) !== "chunked") return refusal("REQUEST_MALFORMED");
  return codings.length === 1 ? null : refusal("CODING_UNKNOWN");
}
