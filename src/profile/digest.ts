import { createHash } from "node:crypto";

/**
 * The SHA-256 of text (as UTF-8) or bytes, in hex. Not by `hash` of `node:crypto`: an old Node lacks it, and importing
 * a missing name fails before the required version of Node can be reported.
 */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
