import { visible } from "../../errors.ts";

/** The first key that a case-insensitive reader could mistake for another or a known name, in words; else null. */
export function otherSpelling(
  keys: readonly string[],
  known: readonly string[] | ReadonlyMap<string, string>,
): string | null {
  const seen = new Map<string, string>("get" in known ? known : known.map((name) => [folded(name), name]));
  for (const key of keys) {
    const other = seen.get(folded(key));
    if (other !== undefined && other !== key)
      return `${visible(key.slice(0, 100))} could be taken for ${visible(other.slice(0, 100))}`;
    seen.set(folded(key), key);
  }
  return null;
}

/** Folds single characters like Unicode: `ſ` is an `s`, and the Kelvin sign a `k`. */
export function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}
