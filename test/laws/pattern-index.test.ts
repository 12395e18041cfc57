import fc from "fast-check";
import { expect } from "vitest";
import { knownPath } from "../../src/profile/path.ts";
import { exactTest, parsePatterns } from "../../src/profile/pattern.ts";
import { type Patterned, patternIndex } from "../../src/profile/pattern-index.ts";
import { path, pattern } from "../support/generate.ts";
import { law } from "./law.ts";

type Index = typeof patternIndex<Patterned>;

/** Ends that are alike, in other case, that a longer one ends in, and letters whose case is no matter of ASCII. */
const ENDS = [
  "rc",
  "-rc",
  "Arc",
  ".toml",
  ".TOML",
  "x.toml",
  "oml",
  "ml",
  "İab",
  "Σ-1",
  "\u{10400}ab",
  "KR",
  "",
  "*",
];
const STARTS = ["", "a", "A", ".", "xx", "é", "Σ", "\udcff"];
const end = fc.constantFrom(...ENDS);
const start = fc.constantFrom(...STARTS);

const name = fc.tuple(start, start, end).map((parts) => parts.join("") || "a");
const plainName = name.map((text) => text.replaceAll("*", "-")).filter((text) => !/^\.\.?$/.test(text));
const odd = fc
  .array(plainName, { minLength: 1, maxLength: 3 })
  .map((names) => knownPath(`/${names.join("/")}`));

const wildName = fc
  .tuple(start, fc.constantFrom("", "*", "?", "[aA]", "[!a]"), fc.constantFrom("", "*", "?"), end)
  .map((parts) => parts.join("").replace(/\*+/g, "*") || "*")
  .filter((text) => !/^\.\.?$/.test(text) && !text.includes("\udcff"));
const oddPattern = fc
  .tuple(fc.constantFrom("", "/", "/a/", "xx/"), wildName, fc.constantFrom("", "", "/**"))
  .map((parts) => parsePatterns(parts.join(""))[0])
  .filter((one) => one !== undefined);

const entry = fc.record({ pattern: fc.oneof(pattern, oddPattern), ignoreCase: fc.boolean() });

law(
  "an index of patterns finds what a test of each finds",
  (index: Index) =>
    fc.property(
      fc.array(entry, { maxLength: 6 }),
      fc.array(fc.oneof(odd, path), { minLength: 1, maxLength: 8 }),
      (entries, paths) => {
        const find = index(entries);
        for (const one of paths) expect(new Set(find(one))).toEqual(new Set(found(entries, one)));
      },
    ),
  patternIndex,
  {
    "minds the case always": (entries) =>
      patternIndex(entries.map(({ pattern: one }) => ({ pattern: one, ignoreCase: false }))),
    "never minds it": (entries) => {
      const find = patternIndex(entries.map((one) => ({ ...one, ignoreCase: true })));
      return (at) => find(at).flatMap(({ pattern: one }) => entries.filter((other) => other.pattern === one));
    },
    "folds every letter at the end of a name": (entries) => {
      const find = patternIndex(entries);
      return (at) => find(knownPath(at.toLowerCase()));
    },
    "looks at the end of a name alone": (entries) => (at) =>
      entries.filter(({ pattern: { segments } }) => {
        const last = segments.at(-1);
        const piece = last?.kind === "name" ? last.pieces.at(-1) : undefined;
        return piece?.kind !== "text" || at.endsWith(piece.text);
      }),
    "forgets patterns of an end too short to be told by": (entries) =>
      patternIndex(entries.filter(({ pattern: { text } }) => !text.endsWith("*"))),
    "finds one of those that end alike": (entries) => {
      const find = patternIndex(entries);
      return (at) => find(at).slice(0, 1);
    },
  },
);

function found(entries: readonly Patterned[], at: Parameters<ReturnType<Index>>[0]): readonly Patterned[] {
  return entries.filter(({ pattern: one, ignoreCase }) => exactTest(one, ignoreCase)(at));
}
