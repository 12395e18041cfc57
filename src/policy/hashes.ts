import { type BoundPart, inOrder } from "./bound-call.ts";
import type { Json } from "./canonical-json.ts";
import { jsonDigest, type TextDigests } from "./json-digest.ts";

/** The hash that binds an approval to one run, made of whole values, never their shown form. Throws `USAGE`. */
export function argsHashOf(parts: { readonly [key: string]: Json }, digests?: TextDigests): string {
  return jsonDigest(parts, digests);
}

/** The hash that binds an approval to the state of each part of a call: equal exactly for equal parts, in any order. */
export function partsHash(
  { tool, agent }: { readonly tool: string; readonly agent: string | null },
  parts: readonly BoundPart[],
): string {
  return argsHashOf({ tool, agent, parts: inOrder(parts) });
}

/** The hash of a session approval: equal exactly for the same tool and a deep-equal payload. Throws `USAGE`. */
export function cacheKeyOf(tool: string, payload: Json, digests?: TextDigests): string {
  return jsonDigest([tool, payload], digests);
}
