import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { truncate, truncateForDisplay } from "../../../src/policy/truncate.ts";
import { law } from "../../laws/law.ts";

type Truncate = typeof truncate;

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

describe("a text that is cut", () => {
  test.each([
    ["a\nb\nc", { lines: 2 }, { text: "a\nb", moreLines: 1, moreCharacters: 2 }],
    ["a\r\nb\r\nc", { lines: 2 }, { text: "a\r\nb", moreLines: 1, moreCharacters: 3 }],
    ["a\nb\n", { lines: 2 }, { text: "a\nb\n", moreLines: 0, moreCharacters: 0 }],
    ["a\nb\n", { lines: 1 }, { text: "a", moreLines: 1, moreCharacters: 3 }],
    ["\n\nabc", { lines: 1 }, { text: "", moreLines: 2, moreCharacters: 5 }],
    ["aaa\nbbb\nccc", { characters: 9 }, { text: "aaa\nbbb", moreLines: 1, moreCharacters: 4 }],
    ["aaa\nbbb\nccc", { characters: 7 }, { text: "aaa\nbbb", moreLines: 1, moreCharacters: 4 }],
    ["abcdef\nx", { characters: 4 }, { text: "abcd", moreLines: 1, moreCharacters: 4 }],
    ["ab\u{1F600}", { characters: 3 }, { text: "ab", moreLines: 0, moreCharacters: 2 }],
    ["abe\u0301\u0302", { characters: 3 }, { text: "ab", moreLines: 0, moreCharacters: 3 }],
    ["a\u{1F469}\u200D\u{1F52C}b", { characters: 4 }, { text: "a", moreLines: 0, moreCharacters: 6 }],
    ["", {}, { text: "", moreLines: 0, moreCharacters: 0 }],
    ["abc", { lines: 0 }, { text: "", moreLines: 1, moreCharacters: 3 }],
  ])("%j, at %j", (text, most, cut) => {
    expect(truncate(text, most)).toEqual(cut);
  });

  test("keeps 50 lines and 2,000 characters unless told otherwise (S1-33)", () => {
    expect(truncate(lines(50))).toEqual({ text: lines(50), moreLines: 0, moreCharacters: 0 });
    expect(truncate(lines(60))).toMatchObject({ text: lines(50), moreLines: 10 });
    expect(truncate("x".repeat(2_001))).toEqual({ text: "x".repeat(2_000), moreLines: 0, moreCharacters: 1 });
  });

  test("says how many lines more there are, below an empty line (S1-33)", () => {
    expect(truncateForDisplay(lines(53))).toBe(`${lines(50)}\n\n... [3 more lines]`);
    expect(truncateForDisplay(lines(3), 1)).toBe("line 1\n\n... [2 more lines]");
    expect(truncateForDisplay(`${lines(50)}\n`)).toBe(`${lines(50)}\n`);
    expect(truncateForDisplay("x".repeat(9_999))).toBe("x".repeat(9_999));
  });

  test("costs no more where it is long", () => {
    const start = performance.now();
    truncate("e\u0301".repeat(4_000_000));
    expect(performance.now() - start).toBeLessThan(500);
  });

  const text = fc.string({
    unit: fc.constantFrom(
      "a",
      "b",
      "\n",
      "\r\n",
      "\u{1F600}",
      "e\u0301",
      "\u{1F1E6}\u{1F1F9}",
      "\u{1F469}\u200D\u{1F52C}",
      " ",
    ),
    maxLength: 12,
  });
  const limits = fc.record({
    lines: fc.integer({ min: 1, max: 6 }),
    characters: fc.integer({ min: 1, max: 20 }),
  });

  law(
    "is a beginning within both limits, at the end of a line or of a whole character, and what is missing is counted",
    (cut: Truncate) =>
      fc.property(text, limits, (whole, most) => {
        const { text: start, moreLines, moreCharacters } = cut(whole, most);
        expect(whole.startsWith(start)).toBe(true);
        expect(start.length).toBe(whole.length - moreCharacters);
        expect(start.length).toBeLessThanOrEqual(most.characters);
        expect(start.split(/\n(?!$)/).length).toBeLessThanOrEqual(most.lines);
        const boundaries = [...new Intl.Segmenter("en").segment(whole)].map(({ index }) => index);
        expect([...boundaries, whole.length]).toContain(start.length);
        const missing = whole.slice(start.length).replace(/\n$/, "").split("\n").length - 1;
        expect(moreLines).toBe(start === "" && /^[^\r\n]/.test(whole) ? missing + 1 : missing);
        const breaks = [...whole.slice(0, most.characters + 1).matchAll(/\r?\n/g)].filter(
          ({ index }) => index > 0,
        );
        if (moreCharacters > 0 && breaks.length > 0) expect(whole.slice(start.length)).toMatch(/^\r?\n/);
      }),
    truncate,
    {
      "cuts at the character": (whole, most) => {
        const start = truncate(whole, { lines: most?.lines ?? 0 }).text.slice(0, most?.characters);
        return { ...truncate(whole, most), text: start, moreCharacters: whole.length - start.length };
      },
      "knows no lines": (whole, most) => truncate(whole, { lines: 99, characters: most?.characters ?? 0 }),
      "knows no characters": (whole, most) => truncate(whole, { lines: most?.lines ?? 0 }),
      "counts an end of line for a line": (whole, most) => {
        const cut = truncate(whole, most);
        return whole.endsWith("\n") ? { ...cut, moreLines: cut.moreLines + 1 } : cut;
      },
    },
  );
});
