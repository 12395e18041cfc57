import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLine } from "../../../src/shell/parse.ts";
import { isLinear } from "../../support/linear-time.ts";
import { LINES, LONGEST_LINE } from "../../support/load/bombs.ts";
import { workMs } from "../../support/load/held-loop.ts";

/** Processor time for one line on a slow machine; before there was a bound some took minutes. */
const MAX_MS = 1_500;

test.each(LINES)("takes time in proportion to its length to be read: %s", (_, line) => {
  expect(isLinear((length) => void parseLine(line(length)), 32 * 1024, MAX_MS)).toBe(true);
});

test.each(LINES)("of the longest that a call can hold is read in bounded time: %s", (_, line) => {
  expect(workMs(() => parseLine(line(LONGEST_LINE)))).toBeLessThan(MAX_MS);
});

describe("whatever a line is made of", () => {
  const token = fc.constantFrom(
    ...[
      "$(",
      ")",
      "`",
      "(",
      "((",
      "))",
      "{ ",
      "; }",
      "{",
      "}",
      "[[ ",
      " ]]",
      "${a:-",
      "${a/",
      "${",
      "${a[",
      "]}",
    ],
    ...[
      "]",
      "[",
      "$((",
      "$[",
      "if ",
      "; then ",
      "; fi",
      "case a in ",
      "a) ",
      ";; ",
      " esac",
      "for i in a; do ",
    ],
    ...[
      "; done",
      "f() { ",
      '"',
      "'",
      "$'",
      '$"',
      "<(",
      ">(",
      "@(",
      "|",
      "&&",
      "&",
      ";",
      "a",
      " ",
      "\n",
      "\\",
      "\\\n",
    ],
    ...[
      "<<A\n",
      "<<A ",
      "A\n",
      "<<<",
      ">&",
      "{a}>",
      "a=",
      "a=(",
      "a[",
      "]=",
      "{a,",
      "{1..",
      "# ",
      "*",
      "~",
      "! ",
    ],
  );
  const unit = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join(""));
  const line = fc
    .tuple(unit, unit, unit, fc.integer({ min: 1, max: 300 }))
    .map(([start, middle, end, times]) => {
      const max = 16 * 1024;
      const before = start.repeat(times);
      return `${before}${middle.repeat(Math.max(1, (max - before.length) / middle.length))}${end}`.slice(
        0,
        max,
      );
    });

  test("it is read in bounded time, and is not taken for one program where it is cut short", () => {
    fc.assert(
      fc.property(line, (text) => {
        const { unread, plain } = parseLine(text);
        if (unread.length > 0) expect(plain).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});

describe("what is too much to be read", () => {
  const names = (line: string, ...wanted: readonly string[]): boolean =>
    parseLine(line).commands.some(({ words }) =>
      words.some((_, at) => wanted.every((one, next) => words[at + next] === one)),
    );

  test("is not understood, and what can be read is", () => {
    const deep = (levels: number): string => `echo ${'"$(echo '.repeat(levels)}a${')"'.repeat(levels)}`;
    expect(parseLine(deep(4)).unread).not.toContain("it can't be parsed");
    expect(parseLine(deep(200)).unread).toContain("it can't be parsed");
    const many = (commands: number): string =>
      Array.from({ length: commands }, (_, at) => `p${at}`).join("\n");
    expect(parseLine(many(4_000)).unread).toEqual([]);
    expect(parseLine(many(4_001)).unread).toEqual(["it can't be parsed"]);
    const documents = (count: number): string => `cat ${"<<A ".repeat(count)}\n${"A\n".repeat(count)}`;
    expect(parseLine(documents(1_000)).unread).toEqual([]);
    expect(parseLine(documents(1_001)).unread).toEqual(["it can't be parsed"]);
  });

  test("has its words held against rules all the same, quotes left out, however long it is and however deep", () => {
    for (const open of ["$(", "((", "<<a ", "`\\`", "${x:", "{a,", "a; "])
      for (const times of [2_000, 20_000, 60_000]) {
        const bomb = open.repeat(times);
        for (const line of [`r''m x; ${bomb}`, `${bomb}; r\\m x`])
          expect([open, times, names(line, "rm", "x")]).toEqual([open, times, true]);
      }
  });

  test("is no script that people write", () => {
    const script = Array.from(
      { length: 40 },
      (_, at) =>
        `step_${at}() {\n  local dir="$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)"\n  for f in "\${dir}"/*.ts; do\n    if [[ -f "$f" ]]; then echo "\${f##*/}: $(wc -l < "$f")"; fi\n  done\n}\n`,
    ).join("");
    expect(script.length).toBeGreaterThan(6_000);
    expect(parseLine(script).unread).not.toContain("it can't be parsed");
  });
});
