import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TerminalFilter } from "../../../src/cli/terminal-filter.ts";
import { isLinear } from "../../support/linear-time.ts";

const ESC = "\u{1b}";

function filtered(...chunks: (string | Uint8Array)[]): string {
  const filter = new TerminalFilter();
  return chunks.map((chunk) => filter.write(Buffer.from(chunk))).join("") + filter.end();
}

describe("what acts on a terminal is dropped", () => {
  test.each([
    ["a bell and a backspace", "a\u{7}b\u{8}c\u{7f}d", "abcd"],
    ["a cursor that moves", `a${ESC}[2J${ESC}[1;1Hb`, "ab"],
    ["a title", `a${ESC}]0;sudo password:\u{7}b`, "ab"],
    ["a title that ends with ST", `a${ESC}]0;title${ESC}\\b`, "ab"],
    ["the clipboard", `a${ESC}]52;c;cm0gLXJm\u{7}b`, "ab"],
    ["a link, but not its words", `${ESC}]8;;https://example.com${ESC}\\words${ESC}]8;;${ESC}\\`, "words"],
    ["a device control string", `a${ESC}P+q544e${ESC}\\b`, "ab"],
    ["an application command", `a${ESC}_Gf=100;AAAA${ESC}\\b`, "ab"],
    ["a question about the cursor", `a${ESC}[6nb`, "ab"],
    ["a reset", `a${ESC}cb`, "ab"],
    ["another character set", `a${ESC}(0b`, "ab"],
    ["keys that are to be reported otherwise", `a${ESC}[>4;2mb`, "ab"],
    ["a private mode", `a${ESC}[?1049hb`, "ab"],
    ["colours with odd intermediates", `a${ESC}[1 mb`, "ab"],
    ["C1 control characters", "a\u{9b}2Jb\u{9d}0;t\u{9c}c\u{85}d", "abcd"],
    ["a sequence that is broken off by a line", `a${ESC}[12\nb`, "a\nb"],
    ["a string without an end hides its own line alone", `a${ESC}]0;hidden\nseen`, "a\nseen"],
    ["a sequence inside a sequence", `a${ESC}[${ESC}[31mb`, `a${ESC}[31mb${ESC}[0m`],
    ["a cancelled string", `a${ESC}]0;x\u{18}b`, "ab"],
    ["text that can't be seen", `a${ESC}[8mb${ESC}[1;08mc`, "abc"],
    [
      "the same behind a colour in one parameter",
      `a${ESC}[38:5;8mb${ESC}[38:5:1;8mc${ESC}[48:2:1:2:3;8md`,
      "abcd",
    ],
    ["the same behind the colour of an underline", `a${ESC}[58;5;8mb${ESC}[58;5;1mc${ESC}[58:5:8md`, "abcd"],
    [
      "the same behind a whole colour",
      `a${ESC}[38;5;38;8mb${ESC}[48;2;1;2;3;8mc${ESC}[38;2;8;8;8;8md`,
      "abcd",
    ],
    [
      "the same behind half a colour",
      `a${ESC}[38;8mb${ESC}[38;5;;8mc${ESC}[38;2;1:8;2;3md${ESC}[38;3;8me`,
      "abcde",
    ],
    ["the same as part of a parameter", `a${ESC}[4:8mb${ESC}[38:2:0:1:2:8mc`, "abc"],
    ["ever more parameters", `a${ESC}[${"1;".repeat(200)}mb`, "ab"],
  ])("%s", (_claim, text, shown) => {
    expect(filtered(text)).toBe(shown);
  });
});

describe("what only writes is kept", () => {
  test.each([
    ["text, tabs and lines", "ünï\t😀\r\n"],
    [
      "colours that are switched off",
      `${ESC}[1;31mred${ESC}[0m ${ESC}[38;2;1;2;3mrgb${ESC}[m ${ESC}[4:3mcurly${ESC}[0m`,
    ],
    [
      "the eighth colour, however it is said",
      `${ESC}[38;5;8mgrey${ESC}[1;48;5;8;4mon grey${ESC}[38:5:8mgrey${ESC}[38;2;8;8;8m${ESC}[48:2:8:8:8m${ESC}[58:5:1m${ESC}[0m`,
    ],
    ["a byte order mark", "\u{feff}x"],
  ])("%s", (_claim, text) => {
    expect(filtered(text)).toBe(text);
  });
});

test("colours that stay on are switched off at the end", () => {
  expect(filtered(`${ESC}[31mred`)).toBe(`${ESC}[31mred${ESC}[0m`);
});

test("bytes that are no UTF-8 are replaced, so that no terminal reads a C1 character out of them", () => {
  expect(filtered(Uint8Array.of(0x61, 0x9b, 0x32, 0x4a, 0xc0, 0x9b, 0xe0, 0x80, 0x9b, 0x62))).toMatch(
    /^a�2J�+b$/,
  );
});

/** Pieces that meet in odd ways: introducers, parameters, ends, text, and every control character. */
const piece = fc.oneof(
  fc.constantFrom(
    ESC,
    `${ESC}[`,
    `${ESC}]`,
    `${ESC}P`,
    "\u{9b}",
    "\u{9d}",
    "\u{9c}",
    "\u{7}",
    "m",
    "31",
    ";",
    "0",
    "?",
    "\\",
    "\n",
    "\r",
    "\t",
    "J",
    " ",
    "😀",
    "é",
  ),
  fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCodePoint(code)),
);
const output = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join("")));
const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));

test("whatever comes, only colours, tab, newline and carriage return are left of all control characters", () => {
  fc.assert(
    fc.property(fc.oneof(output, noise), (bytes) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
      const rest = filtered(bytes).replace(/\u001b\[[0-9;:]*m/g, "");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
      expect(rest).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
    }),
    { numRuns: 2000 },
  );
});

test("it makes no difference where the output is cut into chunks", () => {
  fc.assert(
    fc.property(fc.oneof(output, noise), fc.array(fc.nat(60)), (bytes, cuts) => {
      const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      const chunks = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
      expect(filtered(...chunks)).toBe(filtered(bytes));
    }),
    { numRuns: 1000 },
  );
});

test("what was filtered once is not changed by a second time", () => {
  fc.assert(
    fc.property(output, (bytes) => {
      const once = filtered(bytes);
      expect(filtered(once)).toBe(once);
    }),
  );
});

test("plain text is left as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      fc.pre(!/[\p{Cc}\p{Cs}]/u.test(text));
      expect(filtered(text)).toBe(text);
    }),
  );
});

test.each([
  ["parameters without an end", `${ESC}[`, "6;"],
  ["the shortest colours", "", `${ESC}[m`],
  ["colours", "", `${ESC}[38;5;8;38;5;8;38;5;8;38;5;8;38;5;8;38;5;8;38;5;8;38;5;8m`],
  ["strings", "", `${ESC}]x`],
  ["text", "", "text "],
])("takes linear time: %s", (_claim, start, repeated) => {
  const work = (length: number): void => {
    const bytes = Buffer.from(start + repeated.repeat(length / repeated.length));
    const filter = new TerminalFilter();
    for (let at = 0; at < bytes.length; at += 1 << 16) filter.write(bytes.subarray(at, at + (1 << 16)));
  };
  expect(isLinear(work, 1 << 20, 1_000)).toBe(true);
});
