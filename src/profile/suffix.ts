import { z } from "zod";

/** The end of a file name, dot included: `.md`, `.tar.gz`. Case counts. */
export const Suffix = z.string().regex(/^\.[^/\p{Cc}\p{Cs}]{1,64}$/u, "a suffix begins with a dot: `.md`");
export type Suffix = z.infer<typeof Suffix>;

/** A list of suffixes; each is compared with each other. */
export const SuffixList = z.array(Suffix).max(256);

/** The files of a folder that an entry covers: all of them, or those whose name ends in a listed suffix. */
export type Suffixes = "any" | readonly Suffix[];

/** True when a file of this name is among them. */
export function takesFile(suffixes: Suffixes, name: string): boolean {
  return suffixes === "any" || suffixes.some((suffix) => name.endsWith(suffix));
}

/** The suffixes without those that a shorter one already covers, in order. */
export function normalSuffixes(suffixes: Suffixes): Suffixes {
  if (suffixes === "any") return suffixes;
  const kept = suffixes.filter((one) => !suffixes.some((other) => other !== one && one.endsWith(other)));
  return [...new Set(kept)].sort();
}

/** The files that both cover: for every name, `takesFile(result) = takesFile(a) && takesFile(b)`. */
export function meetSuffixes(a: Suffixes, b: Suffixes): Suffixes {
  if (a === "any") return b;
  if (b === "any") return a;
  const both = [...a.filter((one) => takesFile(b, one)), ...b.filter((one) => takesFile(a, one))];
  return normalSuffixes(both);
}

/** True if two lists cover the same files; both must be normal. */
export function sameSuffixes(a: Suffixes, b: Suffixes): boolean {
  if (a === "any" || b === "any") return a === b;
  return a.length === b.length && a.every((suffix, index) => suffix === b[index]);
}
