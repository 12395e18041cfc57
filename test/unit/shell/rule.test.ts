import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { quote } from "../../../src/shell/quote.ts";
import { coversWords, matchesWord, shellPattern } from "../../../src/shell/rule.ts";

test("a pattern is a prefix of words, unless it is exact (S1-44)", () => {
  expect(coversWords(shellPattern("git status"), ["git", "status", "--short"], false)).toBe(true);
  expect(coversWords(shellPattern("git status"), ["git", "status", "--short"], true)).toBe(false);
  expect(coversWords(shellPattern("git status"), ["git", "status"], true)).toBe(true);
  expect(coversWords(shellPattern("git status"), ["git"], false)).toBe(false);
  expect(coversWords(shellPattern("git status"), ["git", "statusx"], false)).toBe(false);
});

test("in a word `*` is any run of characters, slashes and dots too, and nothing else is special", () => {
  expect(matchesWord("a*c", "a/.b/c")).toBe(true);
  expect(matchesWord("a*c", "ab")).toBe(false);
  expect(matchesWord("a*a", "a")).toBe(false);
  expect(matchesWord("a.c", "abc")).toBe(false);
  expect(matchesWord("*", "")).toBe(true);
});

test("a glob matches as a regular expression made of it would", () => {
  const glob = fc.string({ unit: fc.constantFrom("a", "b", "*", "."), maxLength: 8 });
  const word = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 8 });
  fc.assert(
    fc.property(glob, word, (pattern, text) => {
      const regex = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
      expect(matchesWord(pattern, text)).toBe(regex.test(text));
    }),
    { numRuns: 5000 },
  );
});

test("what a person is shown, a shell would split into the same words", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme-ascii", minLength: 1 }), { minLength: 1 }), (words) => {
      const split = execFileSync("sh", ["-c", `printf '%s\\0' ${quote(words)}`], { encoding: "utf8" });
      expect(split.split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 200 },
  );
});
