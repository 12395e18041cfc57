import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  presentCommand,
  presentDiff,
  presentFile,
  presentStructured,
  presentText,
} from "../../../src/approval/present.ts";
import type { PresentOptions } from "../../../src/approval/shown.ts";
import type { Json } from "../../../src/policy/canonical-json.ts";
import { Presentation } from "../../../src/policy/presentation.ts";

const MIB = 1024 ** 2;
const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join("");
/** A text, and a presentation of it by each function. */
const ways: readonly (readonly [string, (text: string, options: PresentOptions) => Presentation])[] = [
  ["text", presentText],
  ["file", (content, options) => presentFile({ path: "/w/a", content }, options)],
  ["file's bytes", (text, options) => presentFile({ path: "/w/a", content: Buffer.from(text) }, options)],
  ["diff", (after, options) => presentDiff({ path: "/w/a", before: "a\n", after }, options)],
  ["script", (script, options) => presentCommand({ words: ["sh", script], script, cwd: "/w" }, options)],
  ["command", (word, options) => presentCommand({ words: [word], cwd: "/w" }, options)],
  ["value", presentStructured],
];

describe("a text", () => {
  test("of 50 lines and 2,000 characters is shown whole (S1-47)", () => {
    const fifty = `${"x".repeat(39)}\n`.repeat(50);
    expect(presentText(fifty)).toEqual({ type: "text", content: fifty });
    expect(presentText(fifty.slice(0, -1))).toEqual({ type: "text", content: fifty.slice(0, -1) });
  });

  test("of more lines is cut after the 50th, and says how many more there are (S1-33, S1-47)", () => {
    expect(presentText(numbered(73))).toEqual({
      type: "text",
      content: `${numbered(50)}... [23 more lines]`,
      fullContent: numbered(73),
    });
    expect(presentText(numbered(51)).content).toBe(`${numbered(50)}... [1 more line]`);
  });

  test("of more characters is cut after the 2,000th, and says that the line goes on (S1-47)", () => {
    const [cut, after] = ["x".repeat(2_000), "y\nz\n"];
    expect(presentText(cut + after)).toEqual({
      type: "text",
      content: `${cut}\n... [the rest of this line, 1 more line]`,
      fullContent: cut + after,
    });
    expect(presentText(`${cut}y`).content).toBe(`${cut}\n... [the rest of this line]`);
    expect(presentText(`${cut}\ny`).content).toBe(`${cut}\n... [1 more line]`);
    expect(presentText(`${cut}\n`).fullContent).toBeUndefined();
  });

  test("is cut where it is said to be (S1-47)", () => {
    expect(presentText("a\nb\nc", { max: { lines: 2, characters: 99 } }).content).toBe(
      "a\nb\n... [1 more line]",
    );
    expect(presentText("abc", { max: { lines: 2, characters: 2 } }).content).toBe(
      "ab\n... [the rest of this line]",
    );
  });

  test("is not cut within a character", () => {
    expect(presentText("a😀b", { max: { lines: 1, characters: 2 } }).content).toBe(
      "a\n... [the rest of this line]",
    );
  });
});

const part = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\n", "\r\n", "x".repeat(70)));
const hostile = fc.array(part, { maxLength: 120 });

test.each(ways)(
  "a presentation of a %s fits its schema and its limits, and says so where it is cut (S1-4)",
  (_, present) => {
    fc.assert(
      fc.property(
        hostile,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 2_500 }),
        (parts, lines, characters) => {
          const made = present(parts.join(""), { max: { lines, characters } });
          expect(Presentation.parse(made)).toEqual(made);
          if (made.fullContent === undefined || made.content.startsWith("Too ")) return;
          const [, kept = "", mark = ""] = /^([\s\S]*\n)?(\.\.\. \[.*\])$/.exec(made.content) ?? [];
          expect(mark).not.toBe("");
          expect(kept.split("\n").length - 1).toBeLessThanOrEqual(lines);
          expect(kept.length - 1).toBeLessThanOrEqual(characters);
          expect(made.fullContent.startsWith(kept.slice(0, -1))).toBe(true);
        },
      ),
    );
  },
);

describe("100 MB", () => {
  const line = `${"0123456789".repeat(10)}\n`;

  test.each<readonly [string, () => Presentation]>([
    ["of a text", () => presentText(line.repeat(MIB))],
    ["of a text in one line", () => presentText("é".repeat(50 * MIB))],
    ["of a file", () => presentFile({ path: "/w/a", content: Buffer.alloc(100 * MIB, line) })],
    ["of a value", () => presentStructured({ of: Array.from({ length: 100 }, () => "x".repeat(MIB)) })],
    ["of a diff", () => presentDiff({ path: "/w/a", before: "", after: line.repeat(MIB) })],
  ])("%s are held as one MiB, which says what it leaves out", (_, make) => {
    const { content, fullContent = "" } = make();
    expect(content.length).toBeLessThan(2_100);
    expect(Buffer.byteLength(fullContent)).toBeLessThanOrEqual(MIB);
    expect(Buffer.byteLength(fullContent)).toBeGreaterThan(MIB - 70_000);
    expect(fullContent.slice(-100)).toMatch(/\n\.\.\. \[.*\b(99\.0|100\.0) MB\]$/);
  });

  test("are left out line by line: those shown and those missing are all there are", () => {
    const { content, fullContent = "" } = presentText(line.repeat(MIB));
    expect(content).toMatch(/\n\.\.\. \[the rest of this line, 1048556 more lines\]$/);
    const [, missing] = /\[(\d+) more lines, /.exec(fullContent.slice(-100)) ?? [];
    expect(fullContent.split("\n").length - 1 + Number(missing)).toBe(MIB);
  });
});

describe("secrets are hidden", () => {
  const secret = "s3cr3t-".repeat(5);
  const hide = (text: string): string => text.replaceAll(secret, "[hidden]");

  test.each(ways)(
    "in what is shown of a %s and in its full content, before anything is cut",
    (_, present) => {
      for (const before of [0, 10, 1_990, 5_000]) {
        const made = present(`${"x".repeat(before)}${secret}${"\ny".repeat(60)}`, { hide });
        expect(JSON.stringify(made)).toContain("[hidden]");
        expect(JSON.stringify(made)).not.toContain("s3cr3t");
      }
    },
  );

  test("where the text is cut after a MiB too", () => {
    const content = Buffer.from(
      `${"x".repeat(4_095)}\n`.repeat(255) + "x".repeat(4_096 - 276) + secret.repeat(99),
    );
    expect(presentFile({ path: "/w/a", content }, { hide }).fullContent).not.toContain("s3cr3t");
    expect(presentText(content.toString(), { hide }).fullContent).not.toContain("s3cr3t");
  });

  test("and a longer word in their place does not make the whole longer than a MiB", () => {
    const { fullContent = "" } = presentText("a\n".repeat(400_000), {
      hide: (text) => text.replaceAll("a", "[hidden]"),
    });
    expect(Buffer.byteLength(fullContent)).toBeLessThanOrEqual(MIB);
    const [, missing] = /\[(\d+) more lines, /.exec(fullContent.slice(-100)) ?? [];
    expect(fullContent.split("\n").length - 1 + Number(missing)).toBe(400_000);
  });
});

describe("a command", () => {
  test("is shown as its words, quoted, with its folder", () => {
    expect(presentCommand({ words: ["git", "commit", "-m", "it's\nhere", "\u{202e}"], cwd: "/w" })).toEqual({
      type: "command",
      language: "shell",
      about: "/w",
      content: 'git commit -m "it\'s\nhere" \u{202e}',
    });
  });

  test("that is a script is shown as its text, whole, with what runs it", () => {
    const script = numbered(60);
    expect(presentCommand({ words: ["bash", "--norc", "-c", script], script, cwd: "/w" })).toEqual({
      type: "command",
      language: "shell",
      about: "/w",
      content: `${numbered(50)}... [10 more lines]`,
      fullContent: script,
      metadata: { program: "bash --norc -c" },
    });
  });
});

describe("a value", () => {
  test("is indented JSON, its keys in the order given", () => {
    const value = { b: [1, { c: null }], a: {}, "": [], "a\n": "\u{7f}" };
    expect(presentStructured(value)).toEqual({
      type: "structured",
      content: JSON.stringify(value, null, 2).replaceAll(/(\{|\[)\s+(\}|\])/g, "$1$2"),
    });
  });

  test("reads back as itself, however it is nested", () => {
    const max = { lines: 99_999, characters: 9_999_999 };
    fc.assert(
      fc.property(fc.json({ maxDepth: 9 }), (text) => {
        const value: Json = JSON.parse(text);
        expect(JSON.parse(presentStructured(value, { max }).content)).toEqual(value);
      }),
    );
    const deep: Json = JSON.parse(`${"[".repeat(2_000)}${"]".repeat(2_000)}`);
    expect(JSON.parse(presentStructured(deep, { max }).content)).toEqual(deep);
  });

  test("nested deep and wide is written without a margin that grows with the square of its depth", () => {
    const deep: Json = JSON.parse(`${"[".repeat(1_000)}${"1,".repeat(9_999)}1${"]".repeat(1_000)}`);
    expect(presentStructured(deep).fullContent?.length).toBeLessThan(30_000);
  });
});
