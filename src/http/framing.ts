import type { IncomingMessage } from "node:http";
import { type HttpRefusal, refusal } from "./refusal.ts";

/**
 * The refusal of an unsupported transfer coding, or null. Unless `chunked` is last, the length of the body is unknown
 * (https://www.rfc-editor.org/rfc/rfc9112#section-6.3). No other coding is decoded here (section 6.1).
 */
export function misframed({ headers }: Pick<IncomingMessage, "headers">): HttpRefusal | null {
  const codings = headers["transfer-encoding"]?.split(",").map((coding) => coding.trim().toLowerCase());
  if (codings === undefined) return null;
  if (codings.at(-1) !== "chunked") return refusal("REQUEST_MALFORMED");
  return codings.length === 1 ? null : refusal("CODING_UNKNOWN");
}
