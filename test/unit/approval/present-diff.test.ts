import { applyPatch, structuredPatch } from "diff";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { presentDiff } from "../../../src/approval/present.ts";
import { workMs } from "../../support/load/held-loop.ts";

const MIB = 1024 ** 2;
const PNG = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");

describe("a diff", () => {
  const diffOf = (before: Uint8Array | string, after: Uint8Array | string): string =>
    presentDiff({ path: "/w/a", before, after }).content;

  test("has the changed lines, three lines around them, and neither a header nor a time", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    expect(presentDiff({ path: "/w/a.txt", before, after: before.replace("5", "five") })).toEqual({
      type: "diff",
      about: "/w/a.txt",
      content: "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
    });
  });

  test("of bytes is that of their text", () => {
    expect(diffOf(Buffer.from("é\n"), "e\n")).toBe("@@ -1,1 +1,1 @@\n-é\n+e\n");
  });

  test("tells where the newline at the end is missing", () => {
    expect(diffOf("a\n", "a")).toBe("@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n");
    expect(diffOf("", "a")).toBe("@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n");
  });

  test("tells of a change of line ends, and keeps each", () => {
    expect(diffOf("a\r\nb\r\n", "a\nb\n")).toBe(
      "\\ Line ends change: CRLF → LF\n@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b\n",
    );
    expect(diffOf("a\nb\n", "a\nb\r\n")).toBe(
      "\\ Line ends change: LF → CRLF and LF\n@@ -1,2 +1,2 @@\n a\n-b\n+b\r\n",
    );
    expect(diffOf("a\r\n", "b\r\n")).toBe("@@ -1,1 +1,1 @@\n-a\r\n+b\r\n");
  });

  test("of what is identical says so", () => {
    const same = { type: "text", about: "/w/a", content: "No change: both are identical" };
    expect(presentDiff({ path: "/w/a", before: "a\n", after: Buffer.from("a\n") })).toEqual(same);
    expect(presentDiff({ path: "/w/a", before: PNG, after: PNG })).toEqual(same);
  });

  test("of what is not text tells both kinds and sizes (S1-33)", () => {
    expect(presentDiff({ path: "/w/a", before: "a", after: PNG })).toEqual({
      type: "text",
      about: "/w/a",
      content: "Binary file: application/octet-stream (1 B) → image/png (16 B)",
    });
  });

  test("is cut like any text, and whole in the full content (S1-33)", () => {
    const made = presentDiff({ path: "/w/a", before: "", after: "a\n".repeat(80) });
    expect(made.content).toBe(`@@ -0,0 +1,80 @@\n${"+a\n".repeat(49)}... [31 more lines]`);
    expect(made.fullContent).toBe(`@@ -0,0 +1,80 @@\n${"+a\n".repeat(80)}`);
  });

  const lines = (count: number, word: string): string =>
    Array.from(
      { length: count },
      (_, at) => `this is ${word} line ${at}, which is none of the others\n`,
    ).join("");

  test("of two files of 10 MB with nothing in common is a text, made within a second, that has the new one", () => {
    const [before, after] = [lines(200_000, "an old"), lines(200_001, "a new")];
    const took = [1, 2].map(() =>
      workMs(() => {
        const made = presentDiff({ path: "/w/a", before, after });
        const content = "Too different to show line by line: 200000 lines → 200001 lines";
        expect(made).toMatchObject({ type: "text", about: "/w/a", content });
        expect(made.fullContent?.startsWith(`${content}\n\n${after.slice(0, 10_000)}`)).toBe(true);
      }),
    );
    expect(Math.min(...took)).toBeLessThan(1_000);
  });

  test("of two files of 10 MB that differ in one line is that line", () => {
    const before = lines(200_000, "an old");
    expect(diffOf(before, before.replace("line 77,", "line LXXVII,"))).toContain(
      "\n+this is an old line LXXVII, which is none of the others\n",
    );
  });

  test("of files of more than 16 MiB says that they are too large", () => {
    expect(diffOf("a\n".repeat(9 * MIB), "b\n")).toBe(
      "Too large to show line by line: 9437184 lines → 1 line",
    );
  });

  const some = fc
    .array(fc.constantFrom("\n", "\r\n", "a\n", "b\n", "c", "\n\n\n\n", "é\r\n"), { maxLength: 40 })
    .map((parts) => parts.join(""));

  test("turns the old text into the new one", () => {
    fc.assert(
      fc.property(some, some, some, some, (start, old, now, end) => {
        const [before, after] = [`${start}${old}${end}`, `${start}${now}${end}`];
        const made = presentDiff({ path: "/w/a", before, after }, { max: { lines: 999, characters: 9_999 } });
        if (before === after) expect(made.content).toBe("No change: both are identical");
        else expect(applyPatch(before, inFull(made.content), { autoConvertLineEndings: false })).toBe(after);
      }),
    );
  });

  test("is the one of the whole texts, wherever they begin to differ", () => {
    fc.assert(
      fc.property(fc.nat(12), fc.nat(12), (above, below) => {
        const [before, after] = ["old\n", "new\n"].map(
          (line) => lines(above, "x") + line + lines(below, "y"),
        );
        const [whole] = structuredPatch("", "", before ?? "", after ?? "", "", "", { context: 3 }).hunks;
        const range = `-${whole?.oldStart},${whole?.oldLines} +${whole?.newStart},${whole?.newLines}`;
        expect(diffOf(before ?? "", after ?? "")).toBe(`@@ ${range} @@\n${whole?.lines.join("\n")}\n`);
      }),
    );
  });
});

/** With the blank that programs want before an empty unchanged line. */
function inFull(hunks: string): string {
  return hunks.replace(/\n(?=\n)/g, "\n ");
}
