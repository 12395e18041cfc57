import { sha256 } from "../profile/digest.ts";
import { canonicalLeaf, isList, type Json } from "./canonical-json.ts";

/** Longer texts, in UTF-16 units, are replaced by their digest: escaping megabytes takes longer than hashing them. */
const MAX_WRITTEN = 4_096;

/** The digests of long texts, for values that share them. */
export type TextDigests = Map<string, string>;

/**
 * SHA-256, in hex, of the canonical text of a JSON value (RFC 8785). Each text of more than 4,096 UTF-16 units is
 * replaced by `#` and its own SHA-256. JSON has no `#` outside of texts, so different values have different digests.
 * Throws `USAGE` for values that canonical JSON can't hold.
 */
export function jsonDigest(value: Json, digests: TextDigests = new Map()): string {
  const pieces: string[] = [];
  write(value, pieces, digests);
  return sha256(pieces.join(""));
}

function write(value: Json, pieces: string[], digests: TextDigests): void {
  if (typeof value === "string" && value.length > MAX_WRITTEN) pieces.push("#", digestOf(value, digests));
  else if (typeof value !== "object" || value === null) pieces.push(canonicalLeaf(value));
  else if (isList(value)) {
    for (const [index, item] of value.entries()) {
      pieces.push(index === 0 ? "[" : ",");
      write(item, pieces, digests);
    }
    pieces.push(value.length === 0 ? "[]" : "]");
  } else {
    // Ordered by UTF-16 units, as RFC 8785 requires.
    const keys = Object.keys(value).sort();
    for (const [index, key] of keys.entries()) {
      pieces.push(index === 0 ? "{" : ",", canonicalLeaf(key), ":");
      write(value[key] ?? null, pieces, digests);
    }
    pieces.push(keys.length === 0 ? "{}" : "}");
  }
}

function digestOf(text: string, digests: TextDigests): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  // Its UTF-8 would be that of another text.
  if (!text.isWellFormed()) canonicalLeaf(text);
  const digest = sha256(text);
  digests.set(text, digest);
  return digest;
}
