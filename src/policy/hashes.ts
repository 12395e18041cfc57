import { type Json, jsonDigest } from "./canonical-json.ts";

/**
 * What exactly would run, as one hash: SHA-256, in hex, of the canonical JSON of the parts. It binds an approval. Made
 * from the whole values, never from what is shown of them. Throws `USAGE` for what canonical JSON can't hold.
 */
export function argsHashOf(parts: { readonly [key: string]: Json }): string {
  return jsonDigest(parts);
}

/**
 * What a yes for the session covers, as one hash of the tool's name and the payload: equal exactly for the same tool
 * and a deep-equal payload, in whatever order its keys come. Throws `USAGE` for what canonical JSON can't hold.
 */
export function cacheKeyOf(tool: string, payload: Json): string {
  return jsonDigest([tool, payload]);
}
