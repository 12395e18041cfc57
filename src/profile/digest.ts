import { createHash } from "node:crypto";

/**
 * The SHA-256 of text (as UTF-8) or bytes, in hex. Not by `hash` of `node:crypto`: a Node that is too old has none, and an
 * import of a name that is missing fails before anything can say which Node is needed.
 */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
