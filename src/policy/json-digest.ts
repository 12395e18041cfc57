import { sha256 } from "../profile/digest.ts";
import { canonicalLeaf, isList, type Json } from "./canonical-json.ts";

/** Longer texts, in UTF-16 units, count by their own digest: to escape megabytes takes longer than to hash them. */
const MAX_WRITTEN = 4_096;

/** The digests of long texts, for values that share them. */
export type TextDigests = Map<string, string>;

/**
 * SHA-256, in hex, of the canonical text of a JSON value (RFC 8785), in which `#` and its own SHA-256 stand for each text
 * of more than 4,096 UTF-16 units: outside of a text no JSON has that sign, so different values have different digests.
 * Throws `USAGE` for what canonical JSON can't hold.
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
    // By their UTF-16 units, as RFC 8785 wants it.
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
  // It would be another text in UTF-8.
  if (!text.isWellFormed()) canonicalLeaf(text);
  const digest = sha256(text);
  digests.set(text, digest);
  return digest;
}
