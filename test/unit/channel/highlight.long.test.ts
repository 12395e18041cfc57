import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { languageOf } from "../../../src/approval/language.ts";
import {
  type Highlight,
  type HighlightSpan,
  highlightWith,
  LANGUAGES,
  loadHighlighter,
} from "../../../src/channel/highlight.ts";
import { workMs } from "../../support/load/held-loop.ts";

const textOf = (spans: readonly HighlightSpan[]): string => spans.map(({ text }) => text).join("");
const plain = (text: string): readonly HighlightSpan[] => [{ text, kind: "plain" }];

/** What opens, closes and continues something in some language. */
const PIECES = [
  '< > </ /> <!-- --> { } ${ #{ ` ``` \' " \'\'\' """ // /* */ # -- --[[ ]] [=[ r#" "# @" $" <? ?> <<A \\ \\\n'.split(
    " ",
  ),
  "0 1.5 a_b é 😀 \u{d800} \u{202e} const type interface null A: .a = ( ) ; * _ ~~~ > | & % !".split(" "),
  [" ", "\n", "\r\n", "\r", "\t"],
].flat();
const hostile = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
      fc.string({ unit: "binary", maxLength: 5 }),
    ),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(""));

describe.each(LANGUAGES)("in %s", (language) => {
  test("the parts of every text, joined, are that text, and no neighbours are of one kind", async () => {
    const highlight = await loadHighlighter(language);
    fc.assert(
      fc.property(hostile, (text) => {
        const spans = highlight(text);
        expect(textOf(spans)).toBe(text);
        expect(spans.every((span, at) => span.text !== "" && span.kind !== spans[at - 1]?.kind)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("a text that was made to cost time is given up in time", async () => {
    const highlight = await loadHighlighter(language);
    for (const piece of ["a<b", "--", "`a", "<a "]) {
      const text = piece.repeat(64 * 1024).slice(0, 64 * 1024);
      expect(workMs(() => expect(textOf(highlight(text))).toBe(text))).toBeLessThan(2_000);
    }
  });
});

test("words, texts, comments, numbers and names are told apart", async () => {
  const highlight = await loadHighlighter("typescript");
  expect(highlight('const a: Map = "b"; // c\nreturn 15 + a.size;\n')).toEqual([
    { text: "const", kind: "keyword" },
    { text: " a: ", kind: "plain" },
    { text: "Map", kind: "name" },
    { text: " = ", kind: "plain" },
    { text: '"b"', kind: "string" },
    { text: "; ", kind: "plain" },
    { text: "// c\n", kind: "comment" },
    { text: "return", kind: "keyword" },
    { text: " ", kind: "plain" },
    { text: "15", kind: "number" },
    { text: " + a.", kind: "plain" },
    { text: "size", kind: "name" },
    { text: ";\n", kind: "plain" },
  ]);
});

test.each(LANGUAGES)("something is highlighted in %s", async (language) => {
  const highlight = await loadHighlighter(language);
  const kinds = highlight('if for FROM type local func query b="c" 1').map(({ kind }) => kind);
  expect(new Set(kinds).size).toBeGreaterThan(1);
});

test.each([undefined, "klingon", "constructor", "__proto__", ""])(
  "in the language %s a text stays plain",
  async (language) => {
    const highlight: Highlight = await loadHighlighter(language);
    expect(highlight("if (1) {}\n")).toEqual(plain("if (1) {}\n"));
    expect(highlight("")).toEqual([]);
  },
);

test("every language that can be drawn is told by some name", () => {
  const endings =
    "c cpp cs css dockerfile go graphql hcl html java js json kt lua php ps1 py rb rs sh sql swift toml ts yaml zig";
  expect(endings.split(" ").map((ending) => languageOf(`a.${ending}`))).toEqual(LANGUAGES);
});

test("64 Ki characters are highlighted, and one more is left plain", async () => {
  const highlight = await loadHighlighter("python");
  const text = "if x:\n".repeat(20_000);
  // It has 50 ms for that, of which a busy machine may leave it none.
  await vi.waitFor(() => expect(highlight(text.slice(0, 64 * 1024)).length).toBeGreaterThan(1), 30_000);
  expect(highlight(text.slice(0, 64 * 1024 + 1))).toEqual(plain(text.slice(0, 64 * 1024 + 1)));
});

describe("a parser's parts are taken when they are the text, and are not when it", () => {
  const part = (text: string): HighlightSpan => ({ text, kind: "name" });

  test("(they are the text)", () => {
    expect(highlightWith(() => [part("a"), part("b")], "ab")).toEqual([part("ab")]);
  });

  test.each<readonly [string, () => Iterable<HighlightSpan>]>([
    ["loses a character", () => [part("a")]],
    ["adds a character", () => [part("a"), part("b"), part("c")]],
    ["reorders characters", () => [part("b"), part("a")]],
    ["finds nothing", () => []],
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    [
      "never ends",
      () => {
        for (;;);
      },
    ],
    [
      "never ends to find parts",
      function* () {
        for (;;) yield part("");
      },
    ],
    ["is lost in a pattern", () => [part(String(/^(\w|\w)*$/.test(`${"a".repeat(60)}!`)))]],
  ])("%s", (_, parser) => {
    expect(highlightWith(parser, "ab")).toEqual(plain("ab"));
  });
});
