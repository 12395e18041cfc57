import { visible } from "../../errors.ts";

/**
 * The first name that a reader who does not tell cases apart could take for another one, of those beside it or of the known
 * ones, in words; null where there is none.
 */
export function otherSpelling(
  keys: readonly string[],
  known: readonly string[] | ReadonlyMap<string, string>,
): string | null {
  const seen = new Map<string, string>(isList(known) ? known.map((name) => [folded(name), name]) : known);
  for (const key of keys) {
    const other = seen.get(folded(key));
    if (other !== undefined && other !== key)
      return `${visible(key.slice(0, 100))} could be taken for ${visible(other.slice(0, 100))}`;
    seen.set(folded(key), key);
  }
  return null;
}

/** As Unicode folds single characters: `ſ` is an `s`, and the Kelvin sign a `k`. */
export function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}

function isList(known: readonly string[] | ReadonlyMap<string, string>): known is readonly string[] {
  return Array.isArray(known);
}
