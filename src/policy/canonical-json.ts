import { hash } from "node:crypto";
import { CofferdamError } from "../errors.ts";

/** Data that canonical JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The one text of a JSON value (RFC 8785): keys in order of their UTF-16 code units, no blanks.
 * Throws `USAGE` for what it can't hold without loss: lone surrogates, numbers beyond 2^53 or not finite.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number") {
    if (Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return JSON.stringify(value);
    throw new CofferdamError("USAGE", "a number is too large to be told exactly", {
      hint: "send it as a string",
    });
  }
  if (value === null || typeof value === "boolean") return String(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${canonicalString(key)}:${canonicalJson(member)}`).join(",")}}`;
}

/** SHA-256 of the canonical text, in hex. */
export function jsonDigest(value: Json): string {
  return hash("sha256", canonicalJson(value));
}

/**
 * A text as one that canonical JSON holds, different for different texts: half characters, which stand for bytes that are
 * not UTF-8, are spelled out. A text that looks spelled out already is spelled out again.
 */
export function spelledOut(text: string): string {
  return text.isWellFormed() && !text.startsWith('"') ? text : JSON.stringify(text);
}

function isList(value: Exclude<Json, string | number | boolean | null>): value is readonly Json[] {
  return Array.isArray(value);
}

function canonicalString(text: string): string {
  if (text.isWellFormed()) return JSON.stringify(text);
  throw new CofferdamError("USAGE", "a text holds half a character (a lone surrogate)", {
    hint: "send well-formed text",
  });
}
