import type { Json } from "./canonical-json.ts";
import { jsonDigest, type TextDigests } from "./json-digest.ts";

/** The hash that binds an approval to one run, made of whole values, never their shown form. Throws `USAGE`. */
export function argsHashOf(parts: { readonly [key: string]: Json }, digests?: TextDigests): string {
  return jsonDigest(parts, digests);
}

/** The hash of a session approval: equal exactly for the same tool and a deep-equal payload. Throws `USAGE`. */
export function cacheKeyOf(tool: string, payload: Json, digests?: TextDigests): string {
  return jsonDigest([tool, payload], digests);
}
