import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TerminalFilter } from "../../../src/cli/terminal-filter.ts";

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
