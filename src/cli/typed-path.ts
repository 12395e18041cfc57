import { escapeInvisible } from "../errors.ts";
import { pathToBytes } from "../profile/path.ts";

/**
 * A path as it was typed, or as JSON has one with bytes that are no UTF-8, which Node hands on in no argument: in quotes,
 * `"b\udcff/.envrc"`. Any other text in quotes is a name.
 */
export function typedPath(text: string): string {
  if (!text.startsWith('"')) return text;
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "string" && /[\p{Cs}\u{fffd}]/u.test(read) ? read : text;
  } catch {
    return text;
  }
}

/** Every way in which a path may be typed: as it is, as texts show it, and as Node hands on its bytes. */
export function waysToType(path: string): readonly string[] {
  if (path.isWellFormed()) return [path, escapeInvisible(path)];
  return [path, escapeInvisible(path), Buffer.from(pathToBytes(path)).toString()];
}
