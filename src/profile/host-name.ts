import { CofferdamError, visible } from "../errors.ts";
import { ANY_HOST, isAddress, parseHostRule } from "./host-rule.ts";

/** Characters of no name and no address: separators of a URL, blanks, and invisible ones. */
const FOREIGN = /[\p{C}\p{Z}@%\\/?#<>^|`{}"*]/u;

/** Longer than any spelling of a name. */
const MAX_LENGTH = 1024;

/**
 * A host in the one spelling of host rules: small letters without a final dot, international names in their `xn--`
 * form, any IPv4 form of the URL standard (`0x7f.1`, `2130706433`, `017700000001`) as four decimal numbers, IPv6
 * without brackets, a mapped IPv4 address as IPv4 (https://url.spec.whatwg.org/#host-parsing). Throws `HOST_INVALID`.
 */
export function canonicalHost(text: string): string {
  const bare = text.length <= MAX_LENGTH && !FOREIGN.test(text) ? unbracketed(text) : null;
  if (bare === null) throw refused(text);
  if (isAddress(bare)) return nameOf(bare, text);
  const url = bare === text ? URL.parse(`http://${text}/`) : null;
  // A colon would make a port of the text after it.
  if (url === null || text.includes(":") || url.hostname === "") throw refused(text);
  return nameOf(url.hostname, text);
}

function unbracketed(text: string): string | null {
  const inner = /^\[([^\]]*)\]$/.exec(text)?.[1];
  if (inner === undefined) return /[[\]]/.test(text) ? null : text;
  return inner.includes(":") && isAddress(inner) ? inner : null;
}

function nameOf(host: string, text: string): string {
  try {
    const { name, port } = parseHostRule(host);
    if (port === null && !name.startsWith(ANY_HOST)) return name;
  } catch (cause) {
    throw refused(text, cause);
  }
  throw refused(text);
}

function refused(text: string, cause?: unknown): CofferdamError {
  return new CofferdamError("HOST_INVALID", `${visible(text)} is neither a host name nor an address`, {
    hint: "write a name, four decimal numbers, or IPv6 without a zone",
    ...(cause === undefined ? {} : { cause }),
  });
}
