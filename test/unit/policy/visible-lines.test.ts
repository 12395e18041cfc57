import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unusualLetters, visibleLines } from "../../../src/policy/visible-lines.ts";
import { law } from "../../laws/law.ts";

describe("the rows of a text", () => {
  test.each([
    ["a\nb\r\nc", ["a", "b", "c"]],
    ["a\n", ["a", ""]],
    ["", [""]],
    ["a\rb", ["a\\u{d}", "b"]],
    ["a\r\r\nb", ["a\\u{d}", "", "b"]],
    ["a\vb\fc\u0085d\u2028e\u2029f", ["a\\u{b}", "b\\u{c}", "c\\u{85}", "d\\u{2028}", "e\\u{2029}", "f"]],
    ["\ta\tb", ["→   a→  b"]],
    ["abcd\te\n\tf", ["abcd→   e", "→   f"]],
    ["safe\u202Egnp\u001b[2J", ["safe\\u{202e}gnp\\u{1b}[2J"]],
    [`a${"\u0301".repeat(4)}`, [`a${"\u0301".repeat(4)}`]],
    [`a${"\u0301".repeat(5)}b`, [`a${"\\u{301}".repeat(5)}b`]],
    ["plain ünïcödé 日本", ["plain ünïcödé 日本"]],
  ])("of %j are %j", (text, rows) => {
    expect(visibleLines(text)).toEqual(rows);
  });

  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        "\n",
        "\r\n",
        "\r",
        "\t",
        "\v",
        "\f",
        "\u0085",
        "\u2028",
        "\u200B",
        "\u202E",
        "\u001b",
        "\ud800",
        "\u00A0",
      ),
      fc.constantFrom("a", "é", "\u0301", "\u0302", "\u0301".repeat(3), "\u{1F600}", "\uFE0F"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
    maxLength: 20,
  });

  law(
    "hold nothing invisible and no break, and stack no more than four marks",
    (rowsOf: typeof visibleLines) =>
      fc.property(text, (whole) => {
        for (const row of rowsOf(whole)) {
          expect(row).not.toMatch(
            /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u,
          );
          expect(row).not.toMatch(/\p{M}{5}/u);
        }
      }),
    visibleLines,
    {
      "leaves tabs": (whole) => whole.split("\n").map((row) => visibleLines(row).join("\t")),
      "splits only": (whole) => whole.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/),
      "lets marks stack": (whole) => (/\p{M}{5}/u.test(whole) ? [whole] : visibleLines(whole)),
    },
  );

  law(
    "are one more than there are breaks of any kind, and each says all that its line says",
    (rowsOf: typeof visibleLines) =>
      fc.property(text, (whole) => {
        const parts = whole.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
        const rows = rowsOf(whole);
        expect(rows.length).toBe(parts.length);
        const letters = (one: string): string => one.replace(/[^aé]/g, "");
        expect(rows.map((row) => letters(row.replace(/\\u\{[0-9a-f]+\}/g, "")))).toEqual(parts.map(letters));
      }),
    visibleLines,
    {
      "splits at \\n alone": (whole) => whole.split("\n").map((row) => visibleLines(row).join("")),
      "drops an empty last row": (whole) => visibleLines(whole.replace(/\n$/, "")),
      "drops what stands before a lone \\r, as a terminal would": (whole) =>
        visibleLines(whole.replace(/.\r(?!\n)/g, "\r")),
    },
  );

  test("of a million marks are made, too", () => {
    expect(visibleLines(`a${"\u0301".repeat(6_000_000)}`)[0]?.startsWith("a\\u{301}\\u{301}")).toBe(true);
  });
});

describe("unusual letters", () => {
  test.each([
    ["p\u0430ypal", ['"а" U+0430']],
    ["plain ASCII, 123 — “quoted”", []],
    ["\u0430\u0430é\u{1D41A}", ['"а" U+0430', '"é" U+00E9', '"\u{1D41A}" U+1D41A']],
    ["абвгдежз", ['"а" U+0430', '"б" U+0431', '"в" U+0432', '"г" U+0433', '"д" U+0434']],
    ["a\u3164b", ['"\\u{3164}" U+3164']],
    ["", []],
  ])("of %j are %j", (text, letters) => {
    expect(unusualLetters(text)).toEqual(letters);
  });
});
