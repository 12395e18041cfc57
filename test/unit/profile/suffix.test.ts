import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  meetSuffixes,
  normalSuffixes,
  Suffix,
  sameSuffixes,
  takesFile,
} from "../../../src/profile/suffix.ts";
import { suffixes } from "../../support/generate.ts";

const name = fc.constantFrom(
  "a.md",
  ".md",
  "a.tar.gz",
  "b.gz",
  ".gz",
  "a.MD",
  "x.env",
  ".env",
  "md",
  "gz",
  "a.md.gz",
  "",
);

describe("suffixes", () => {
  it("begin with a dot and hold no slash or control character", () => {
    const written = [
      ".md",
      ".tar.gz",
      "..",
      ". b",
      ".é",
      "md",
      "",
      ".",
      ".a/b",
      ".a\n",
      `.${"x".repeat(65)}`,
    ];
    expect(written.filter((text) => Suffix.safeParse(text).success)).toEqual([
      ".md",
      ".tar.gz",
      "..",
      ". b",
      ".é",
    ]);
  });

  it("take the end of a name, by case, and a name that is nothing else", () => {
    expect(["a.md", ".md", "a.MD", "amd", "a.md.gz"].filter((one) => takesFile([".md"], one))).toEqual([
      "a.md",
      ".md",
    ]);
    expect([takesFile("any", "x"), takesFile([], "x")]).toEqual([true, false]);
  });

  it("meet in the files that both take, and are one list for one meaning", () => {
    fc.assert(
      fc.property(suffixes, suffixes, name, (a, b, file) => {
        expect(takesFile(meetSuffixes(a, b), file)).toBe(takesFile(a, file) && takesFile(b, file));
        expect(takesFile(normalSuffixes(a), file)).toBe(takesFile(a, file));
        expect(sameSuffixes(meetSuffixes(a, b), meetSuffixes(b, a))).toBe(
          a === "any" || b === "any" ? sameSuffixes(a === "any" ? b : a, b === "any" ? a : b) : true,
        );
      }),
      { numRuns: 2_000 },
    );
    expect([
      normalSuffixes([".tar.gz", ".gz", ".md", ".md"]),
      meetSuffixes([".gz", ".md"], [".tar.gz"]),
    ]).toEqual([[".gz", ".md"], [".tar.gz"]]);
  });
});
