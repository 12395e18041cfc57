import fc from "fast-check";
import { expect, test } from "vitest";
import { coversGlob, globsMeet } from "../../../src/shell/glob.ts";
import { matchesWord } from "../../../src/shell/rule.ts";

const glob = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 });

/** Every word of three letters up to a length; `c` stands in no glob. */
function words(length: number): readonly string[] {
  if (length === 0) return [""];
  const shorter = words(length - 1);
  return [...new Set([...shorter, ...shorter.flatMap((word) => ["a", "b", "c"].map((c) => word + c))])];
}

test("two globs meet exactly when there is a word that both cover", () => {
  // Two globs of at most four characters that meet do so in a word of at most eight.
  const all = words(8);
  const short = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 4 });
  fc.assert(
    fc.property(short, short, (a, b) => {
      expect(globsMeet(a, b)).toBe(all.some((word) => matchesWord(a, word) && matchesWord(b, word)));
    }),
    { numRuns: 500 },
  );
});

test("a glob covers another exactly when it covers every word of the other", () => {
  fc.assert(
    fc.property(glob, glob, (wide, narrow) => {
      // The hardest word: no letter of a glob can stand for a `c`.
      expect(coversGlob(wide, narrow)).toBe(matchesWord(wide, narrow.replaceAll("*", "c")));
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(glob, glob, fc.array(fc.constantFrom("", "a", "b", "ab", "ba")), (wide, narrow, runs) => {
      fc.pre(coversGlob(wide, narrow));
      let at = 0;
      const word = narrow.replaceAll("*", () => runs[at++] ?? "");
      expect(matchesWord(wide, word)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test("long globs are held against each other at once", () => {
  const long = "*a".repeat(100_000);
  expect([globsMeet(`${long}*b`, `*b${long}*`), globsMeet(`${long}b`, `${long}c`)]).toEqual([true, false]);
});
