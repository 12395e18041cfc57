import { describe, expect, test } from "vitest";
import { orFailure } from "./fault.ts";
import { read } from "./read.ts";

const reading = (text: string) => orFailure(() => read(text));

test("a text is lists of symbols, numbers and strings, each with its line", () => {
  expect(
    reading('(version 1)\n(deny file-read*\n  (literal "/a\\"b") ; "not (this\n  #x80017472 -3)'),
  ).toEqual([
    {
      kind: "list",
      line: 1,
      items: [
        { kind: "symbol", line: 1, name: "version" },
        { kind: "number", line: 1, value: 1 },
      ],
    },
    {
      kind: "list",
      line: 2,
      items: [
        { kind: "symbol", line: 2, name: "deny" },
        { kind: "symbol", line: 2, name: "file-read*" },
        {
          kind: "list",
          line: 3,
          items: [
            { kind: "symbol", line: 3, name: "literal" },
            { kind: "string", line: 3, source: '/a\\"b', isSharp: false },
          ],
        },
        { kind: "number", line: 4, value: 0x80017472 },
        { kind: "number", line: 4, value: -3 },
      ],
    },
  ]);
});

test("a sharp string keeps its backslashes, and a quoted symbol is no symbol", () => {
  expect(reading(String.raw`#"^/a\.b\\" 'file-map-executable`)).toEqual([
    { kind: "string", line: 1, source: String.raw`^/a\.b\\`, isSharp: true },
    { kind: "quoted", line: 1, name: "file-map-executable" },
  ]);
});

test("a closing parenthesis ends a word, and so do a quote and a comment", () => {
  expect(reading('(a"b";c\n)')).toEqual([
    {
      kind: "list",
      line: 1,
      items: [
        { kind: "symbol", line: 1, name: "a" },
        { kind: "string", line: 1, source: "b", isSharp: false },
      ],
    },
  ]);
});

test("a comment may have any letters", () => {
  expect(reading("; ä\n")).toEqual([]);
});

describe("an error", () => {
  test.each([
    ["a list without an end", "(a\n(b)", 1, "a list without an end"],
    ["a list that ends twice", "(a)\n)", 2, "a closing parenthesis without an opening one"],
    ["a string without an end", '\n"a', 2, "a string without an end"],
    ["a string that ends in an escaped quote", '"a\\"', 1, "a string without an end"],
    ["a sharp string without an end", '#"a', 1, "a string without an end"],
    ["a letter other than ASCII", "(ä)", 1, "a letter other than ASCII outside of strings and comments"],
    ["an invisible letter", "a\u0000", 1, "a letter other than ASCII outside of strings and comments"],
    ["a string of 1,026 bytes", `"${"a".repeat(1026)}"`, 1, "a string of 1026 bytes"],
    ["a sharp string of 1,026 bytes", `#"${"a".repeat(1026)}"`, 1, "a string of 1026 bytes"],
  ])("is %s", (_what, text, line, message) => {
    expect(reading(text)).toEqual({ kind: "error", line, message });
  });
});

test("a string of 1,025 bytes is read", () => {
  expect(reading(`"${"a".repeat(1025)}"`)).toMatchObject([{ kind: "string" }]);
});

describe("not known is", () => {
  test.each([
    ["a letter other than ASCII in a string", '"ä"'],
    ["a line's end in a string", '"a\nb"'],
    ["where a sharp string with an escaped quote ends", String.raw`#"a\" b"`],
    ["a string that is too long only with its escapes", `"${"\\\\".repeat(600)}"`],
    ["a number of another base", "#b1"],
    ["a truth value", "#t"],
    ["a quasiquote", "`a"],
    ["a quoted list", "'(a)"],
  ])("%s", (_what, text) => {
    expect(reading(text)).toMatchObject({ kind: "unsupported", line: 1 });
  });
});
