import type { Json } from "./canonical-json.ts";
import { jsonDigest, type TextDigests } from "./json-digest.ts";

/**
 * What exactly would run, as one hash: the digest of the parts (`jsonDigest`). It binds an approval. Made
 * from the whole values, never from what is shown of them. Throws `USAGE` for what canonical JSON can't hold.
 */
export function argsHashOf(parts: { readonly [key: string]: Json }, digests?: TextDigests): string {
  return jsonDigest(parts, digests);
}

/**
 * What a yes for the session covers, as one hash of the tool's name and the payload: equal exactly for the same tool
 * and a deep-equal payload, in whatever order its keys come. Throws `USAGE` for what canonical JSON can't hold.
 */
export function cacheKeyOf(tool: string, payload: Json, digests?: TextDigests): string {
  return jsonDigest([tool, payload], digests);
}
