import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wholeFieldRows } from "../../../src/channel/field-rows.ts";
import { PLAIN } from "../../../src/channel/ink.ts";
import { Pager } from "../../../src/channel/pager.ts";
import { allRows, isAtEnd, oneRow, ownRows, partAt } from "../../../src/channel/rows.ts";
import { columnsOf, notAscii, visibleLine } from "../../../src/channel/visible-unit.ts";
import { workMs } from "../../support/load/held-loop.ts";
import { hostileText, INVISIBLE, isDrawnWithin } from "./hostile.ts";

const width = fc.integer({ min: 20, max: 60 });

describe("text of a request, drawn", () => {
  test("can be read in one way alone: lines give back the text they were drawn from", () => {
    fc.assert(
      fc.property(hostileText, width, (text, columns) => {
        const rows = allRows({ text, manner: "lines" }, columns, PLAIN);
        expect(readBack(rows.map((row) => row.trimEnd()))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  test("and so does a text in one line, in which a line break is an escape", () => {
    fc.assert(
      fc.property(hostileText, width, (text, columns) => {
        const rows = allRows({ text, manner: "line" }, columns, PLAIN);
        expect(rows.filter((row) => row.startsWith("│"))).toHaveLength(1);
        expect(unescaped(rows.map((row) => row.slice(2)).join(""))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  test("stands behind a gutter in every row, with nothing invisible, within the columns of a real terminal", async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileText,
        width,
        fc.constantFrom("line", "lines"),
        async (text, columns, manner) => {
          const rows = allRows({ text, manner }, columns, PLAIN);
          expect(rows.filter((row) => !/^[│┊]( |$)/.test(row) || INVISIBLE.test(row))).toEqual([]);
          expect(rows.filter((row) => columnsOf(row) > columns)).toEqual([]);
          expect(await isDrawnWithin(rows, columns)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("is as much of it as there is room for, in one row that says what is missing", () => {
    fc.assert(
      fc.property(hostileText, width, (text, columns) => {
        const row = oneRow(text, columns, PLAIN);
        expect(columnsOf(row)).toBeLessThanOrEqual(columns);
        if (!row.endsWith("…")) expect(unescaped(row)).toBe(text);
      }),
    );
  });

  test("never brings more than four marks on a letter, and none without one", () => {
    expect(visibleLine(`e${"\u{301}".repeat(6)}`)).toBe(`e${"\u{301}".repeat(4)}\\u{301}\\u{301}`);
    expect(visibleLine("\u{301}a")).toBe("\\u{301}a");
  });

  test("never moves what stands beside it: letters that are written from right to left are escaped", () => {
    expect(visibleLine("rm \u{5d0}1 a")).toBe("rm \\u{5d0}1 a");
  });
});

test("a line of any length is taken in parts, each of them at once", () => {
  const text = "x".repeat(1024 ** 2);
  const took = [1, 2, 3].map(() =>
    workMs(() => {
      const { rows, next } = partAt({ text, manner: "lines" }, 0, 80, PLAIN);
      expect([rows.length, next]).toEqual([26, 2000]);
    }),
  );
  expect(Math.min(...took)).toBeLessThan(100);
});

test("pages hold every row once, in order, whatever the size of the screen", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.constantFrom("the command", "tool"), hostileText, fc.constantFrom("line", "lines")),
        { minLength: 1, maxLength: 4 },
      ),
      width,
      fc.integer({ min: 8, max: 30 }),
      (texts, columns, height) => {
        const fields = texts.map(([label, text, manner]) => ({ label, text, manner }));
        const pager = new Pager("all of it", fields, PLAIN);
        const seen: string[] = [];
        do {
          const rows = pager.rows({ columns, rows: height });
          expect(rows.length).toBeLessThan(height);
          seen.push(...rows.filter((row) => /^(tool {7}| {11})?[│┊]/.test(row)));
        } while (pager.turn("next") === null);
        const all = fields.flatMap((field) =>
          field.manner === "line" ? wholeFieldRows(field, columns, PLAIN) : allRows(field, columns, PLAIN),
        );
        expect(seen).toEqual(all.filter((row) => /[│┊]/.test(row)));
        const last = pager.rows({ columns, rows: height });
        if (pager.turn("back") === null) {
          pager.rows({ columns, rows: height });
          pager.turn("next");
        }
        expect(pager.rows({ columns, rows: height })).toEqual(last);
      },
    ),
    { numRuns: 200 },
  );
});

test("words of ours stand in as few rows as they need", () => {
  expect(ownRows(["[y] yes", "[n] no", "[v] view all"], 20)).toEqual(["[y] yes  [n] no", "[v] view all"]);
});

test("letters that are not ASCII are named, five of them", () => {
  expect(notAscii("раypal")).toBe('"р" U+0440, "а" U+0430');
  expect(notAscii("plain")).toBeNull();
  expect(notAscii("äöüßéèê")).toBe('"ä" U+00E4, "ö" U+00F6, "ü" U+00FC, "ß" U+00DF, "é" U+00E9, and 2 more');
  expect(notAscii("e\u{301}\u{202e}")).toBe("U+0301, U+202E");
});

test("an empty text is one empty row", () => {
  expect(allRows({ text: "", manner: "lines" }, 80, PLAIN)).toEqual(["│"]);
  expect(isAtEnd({ text: "a\n", manner: "lines" }, 2)).toBe(false);
});

/** The text that rows were drawn from, as a person reads it who sees no blanks at the ends of rows. */
function readBack(rows: readonly string[]): string {
  const lines: string[][] = [];
  for (const row of rows) {
    if (row.startsWith("│")) lines.push([]);
    lines.at(-1)?.push(row.slice(2));
  }
  return lines
    .map((line) => line.join(""))
    .map((line) => unescaped(line.replaceAll(/→(?: {3}|$)/g, "\t")))
    .join("\n");
}

function unescaped(text: string): string {
  return text.replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
