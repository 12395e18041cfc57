import { escapeInvisible } from "../errors.ts";
import { pathToBytes } from "../profile/path.ts";

/**
 * A path as it was typed. In quotes it is JSON, for bytes that are not UTF-8 and that Node passes in no argument:
 * `"b\udcff/.envrc"`. Any other quoted text is a name.
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

/** Every way to type a path: as it is, as texts show it, and as Node passes its bytes. */
export function waysToType(path: string): readonly string[] {
  if (path.isWellFormed()) return [path, escapeInvisible(path)];
  return [path, escapeInvisible(path), Buffer.from(pathToBytes(path)).toString()];
}
