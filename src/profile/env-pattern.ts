import { z } from "zod";

export const EnvName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/, "an environment name is 1 to 255 letters, digits and `_`");
export type EnvName = z.infer<typeof EnvName>;

/** Names of environment variables: one name, every name with a prefix (`LC_*`), or every name (`*`). */
export const EnvPattern = z
  .string()
  .regex(
    /^(\*|[A-Za-z_][A-Za-z0-9_]{0,254}\*?)$/,
    "an environment name is `NAME` or `PREFIX*`, at most 255 characters",
  );
export type EnvPattern = z.infer<typeof EnvPattern>;

/** True when one of the patterns covers the name. */
export function coversEnv(patterns: readonly EnvPattern[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** The patterns in order, without those that another covers. */
export function normalEnv(patterns: readonly EnvPattern[]): readonly EnvPattern[] {
  const listed = new Set(patterns);
  return [...listed]
    .filter((pattern) => !prefixesOf(pattern, false).some((prefix) => listed.has(prefix)))
    .sort();
}

/** The names that both cover: for every name, `coversEnv(result) = coversEnv(a) && coversEnv(b)`. */
export function meetEnv(a: readonly EnvPattern[], b: readonly EnvPattern[]): readonly EnvPattern[] {
  const [inA, inB] = [new Set(a), new Set(b)];
  const within = (patterns: readonly EnvPattern[], others: ReadonlySet<EnvPattern>): EnvPattern[] =>
    patterns.filter((pattern) => prefixesOf(pattern, true).some((prefix) => others.has(prefix)));
  return normalEnv([...within(a, inB), ...within(b, inA)]);
}

/** A name that the patterns cover and the others do not, or null. */
export function envOutside(patterns: readonly EnvPattern[], others: readonly EnvPattern[]): string | null {
  const listed = new Set(others);
  const outside = patterns.find((pattern) => !prefixesOf(pattern, true).some((prefix) => listed.has(prefix)));
  if (outside === undefined || !outside.endsWith("*")) return outside ?? null;
  const names = [...NEXT_CHARACTERS].map((character) => `${outside.slice(0, -1)}${character}`);
  return names.find((name) => !coversEnv(others, name)) ?? null;
}

/** Possible continuations of a name; no pattern can list a name with the last one, so one is always left. */
const NEXT_CHARACTERS = "XABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwxyz_0123456789.";

function prefixesOf(pattern: EnvPattern, itself: boolean): readonly EnvPattern[] {
  const stem = pattern.endsWith("*") ? pattern.slice(0, -1) : pattern;
  const prefixes = Array.from({ length: stem.length + 1 }, (_, length) => `${stem.slice(0, length)}*`);
  return itself ? [pattern, ...prefixes] : prefixes.filter((prefix) => prefix !== pattern);
}
