import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeInvisible } from "../../../src/errors.ts";
import { timeAgo, timeLeft } from "../../../src/inbox/clock.ts";
import { diffLines, firstLines, plainLines } from "../../../src/inbox/lines.ts";
import { SseParser } from "../../../src/inbox/sse-parser.ts";
import { runsOf } from "../../../src/inbox/visible.ts";
import { workMs } from "../../support/load/held-loop.ts";

/** Any character, half ones too, and often those that matter here. */
const anything = fc.oneof(
  fc.constantFrom("\\", "u", "{", "}", "2", " ", "\t", "\u202e", "\u0301", "\0", "a", "ש"),
  fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
);

const short = (line: string): readonly string[] => runsOf(line).map(({ kind, text }) => `${kind} ${text}`);

describe("a line of text from outside", () => {
  test.each<[string, readonly string[]]>([
    ["plain ünïcödé 😀 שלום", ["text plain ünïcödé 😀 שלום"]],
    ["", []],
    ["safe\u202egnp.exe", ["text safe", "spelled \\u{202e}", "text gnp.exe"]],
    ["a\0\u200b\ufeffb", ["text a", "spelled \\u{0}\\u{200b}\\u{feff}", "text b"]],
    ["\tif", ["tab →   ", "text if"]],
    ["end  ", ["text end", "spelled \\u{20}\\u{20}"]],
    ["  start", ["text   start"]],
    ["a real \\u{202e}", ["text a real ", "spelled \\u{5c}", "text u{202e}"]],
    ["a\\b", ["text a\\b"]],
    ["half \ud800", ["text half ", "spelled \\u{d800}"]],
    [`marks a${"\u0301".repeat(5)}`, ["text marks a", `spelled ${"\\u{301}".repeat(5)}`]],
    ["é by a mark: e\u0301", ["text é by a mark: e\u0301"]],
  ])("%j", (line, runs) => {
    expect(short(line)).toEqual(runs);
  });

  test("holds nothing that is invisible once it is shown, and nothing that is shown as it is was changed", () => {
    fc.assert(
      fc.property(fc.string({ unit: anything }), (line) => {
        const runs = runsOf(line);
        for (const { kind, text } of runs) if (kind !== "tab") expect(escapeInvisible(text)).toBe(text);
        const back = runs
          .map(({ kind, text }) => {
            if (kind === "text") return text;
            if (kind === "tab") return text.replaceAll("→   ", "\t");
            return text.replace(/\\u\{([0-9a-f]+)\}/g, (_, code: string) =>
              String.fromCodePoint(Number.parseInt(code, 16)),
            );
          })
          .join("");
        expect(back).toBe(line);
      }),
    );
  });

  test("is shown in a moment, also where it is long and nobody could see any of it", () => {
    const work = workMs(() => {
      expect(runsOf(`${"\u200b\u202ea".repeat(10_000)}\t`)).toHaveLength(20_001);
      expect(runsOf("\\u{".repeat(10_000)).length).toBeGreaterThan(1);
      expect(runsOf(`${" ".repeat(50_000)}x`)).toHaveLength(1);
    });
    expect(work).toBeLessThan(2_000);
  });
});

describe("lines", () => {
  test("of a diff are told apart by their sign, and what a file holds is none of ours", () => {
    const kinds = diffLines("@@ -1 +1,2 @@\n same\n-@@ old\n++new\n\n\\ No newline at end of file\n").map(
      ({ kind, sign, text }) => [kind, sign, text],
    );
    expect(kinds).toEqual([
      ["place", "", "@@ -1 +1,2 @@"],
      ["kept", "", "same"],
      ["removed", "−", "@@ old"],
      ["added", "+", "+new"],
      ["kept", "", ""],
      ["remark", "", "No newline at end of file"],
    ]);
  });

  test("of a text are all there is, and an end of line begins none", () => {
    expect(plainLines("a\n\nb\n").map(({ text }) => text)).toEqual(["a", "", "b"]);
    expect(plainLines("")).toHaveLength(1);
  });

  test("that are very long go on in further rows, and lose nothing by it", () => {
    const line = `${"x".repeat(3_999)}😀${"y".repeat(5_000)}`;
    const rows = diffLines(`@@ -1 +1 @@\n+${line}\n+z`);
    expect(rows.map(({ kind, sign }) => `${kind} ${sign}`)).toEqual([
      "place ",
      "added +",
      "added ↪",
      "added ↪",
      "added +",
    ]);
    expect(
      rows
        .slice(1, 4)
        .map(({ text }) => text)
        .join(""),
    ).toBe(line);
    expect(rows.every(({ text }) => text.isWellFormed() && text.length <= 4_000)).toBe(true);
  });

  test("are shown as far as there is room, but never none", () => {
    const lines = plainLines(Array(10).fill("xxxx").join("\n"));
    expect(firstLines(lines, { lines: 3, characters: 1_000 })).toBe(3);
    expect(firstLines(lines, { lines: 100, characters: 9 })).toBe(2);
    expect(firstLines(lines, { lines: 100, characters: 1 })).toBe(1);
    expect(firstLines(lines, { lines: 100, characters: 1_000 })).toBe(10);
  });
});

test("events are read whatever the pieces that they come in", () => {
  const text =
    'retry: 1000\nid: s:1\n\nid: s:2\ndata: {"a":1}\n\n:\nid: s:3\n\nid: s:4\nevent: reset\ndata: x\ndata: y\n\nid: s:5\ndata: half';
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
      const parser = new SseParser("s:0");
      const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const events = at.slice(1).flatMap((end, index) => parser.parse(text.slice(at[index], end)));
      expect(events).toEqual([
        { name: "message", data: '{"a":1}' },
        { name: "reset", data: "x\ny" },
      ]);
      expect(parser.lastEventId).toBe("s:4");
    }),
  );
});

test.each([
  ["a blank", "data: a b", "a b"],
  ["no blank", "data:a", "a"],
  ["two blanks", "data:  a", " a"],
  ["a colon in it", "data: a: b", "a: b"],
  ["nothing but its name", "data", ""],
  ["what some take for ends of lines", "data: a\u2028b\u2029c\u0085d\re", "a\u2028b\u2029c\u0085d\re"],
])("a line of an event with %s is read whole", (_, line, data) => {
  expect(new SseParser("s:0").parse(`${line}\n\n`)).toEqual([{ name: "message", data }]);
});

test("times are told shortly", () => {
  const left = [0, -5, 999, 60_000, 245_000, 3_600_000, 90_000_000, 172_800_000, 1e9].map((ms) =>
    timeLeft(ms, 0),
  );
  expect(left).toEqual([
    "0:00",
    "0:00",
    "0:01",
    "1:00",
    "4:05",
    "1 h 0 min",
    "25 h 0 min",
    "2 days",
    "11 days",
  ]);
  const ago = [0, -5, 59_999, 60_000, 3_600_000, 1e9].map((ms) => timeAgo(0, ms));
  expect(ago).toEqual(["just now", "just now", "just now", "1 min ago", "1 h ago", "11 days ago"]);
});
