import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reachOf } from "../../../src/journal/heads.ts";
import { verifyRun } from "../../../src/journal/verify.ts";
import { RecordFolder, wholeLines } from "../../support/journal/records.ts";

type Files = readonly (readonly [name: string, bytes: Buffer])[];
type Change = (files: Files, pick: (max: number) => number) => Files;

const [RECORDS, RUNS] = process.env["COFFERDAM_LONG"] === "1" ? [500, 20_000] : [15, 20];

/** What is written: few events with any text, in one file or several. */
const Written = fc.record({
  texts: fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { minLength: 1, maxLength: 9 }),
  segmentBytes: fc.constantFrom(1, 400, 900, 1_000_000),
});

/** Numbers for whoever changes something, each below what it asks for. */
const picks = fc.infiniteStream(fc.nat({ max: 2 ** 31 - 1 }));

const onBytes =
  (change: (bytes: Buffer, at: number, pick: (max: number) => number) => readonly Uint8Array[]): Change =>
  (files, pick) => {
    const which = pick(files.length);
    return files.map(([name, bytes], index) => [
      name,
      index === which ? Buffer.concat([...change(bytes, pick(bytes.length), pick)]) : bytes,
    ]);
  };

/** On the lines of all files, each with the file that it stands in. */
const onLines =
  (change: (lines: [number, string][], pick: (max: number) => number) => void): Change =>
  (files, pick) => {
    const lines = files.flatMap(([, bytes], file) =>
      wholeLines([["", bytes]]).map((line): [number, string] => [file, line]),
    );
    change(lines, pick);
    return files.map(([name], file) => {
      const own = lines.filter(([where]) => where === file).map(([, line]) => `${line}\n`);
      return [name, Buffer.from(own.join(""), "latin1")];
    });
  };

const inserting = (what: (lines: readonly [number, string][], pick: (max: number) => number) => string) =>
  onLines((lines, pick) => {
    const at = pick(lines.length);
    lines.splice(at, 0, [lines[at]?.[0] ?? 0, what(lines, pick)]);
  });

/** Every way in which one thing is changed in a record. */
const CHANGES: Readonly<Record<string, Change>> = {
  "a byte is another": onBytes((bytes, at, pick) => [
    bytes.subarray(0, at),
    Buffer.of(((bytes[at] ?? 0) + 1 + pick(255)) % 256),
    bytes.subarray(at + 1),
  ]),
  "bytes are gone": onBytes((bytes, at, pick) => [
    bytes.subarray(0, at),
    bytes.subarray(at + 1 + pick(bytes.length - at)),
  ]),
  "bytes are put in": onBytes((bytes, at, pick) => [
    bytes.subarray(0, at),
    Buffer.of(pick(256), pick(256)),
    bytes.subarray(at),
  ]),
  "bytes are doubled": onBytes((bytes, at, pick) => [
    bytes.subarray(0, at + 1 + pick(bytes.length - at)),
    bytes.subarray(at),
  ]),
  "bytes stand behind the end": onBytes((bytes, _, pick) => [bytes, Buffer.of(pick(256), pick(256))]),
  "the line break at the end of a file is gone": onBytes((bytes) => [bytes.subarray(0, -1)]),
  "a line break stands behind the end": onBytes((bytes) => [bytes, Buffer.from("\n")]),
  "a line is gone": onLines((lines, pick) => void lines.splice(pick(lines.length), 1)),
  "two lines changed places": onLines((lines, pick) => {
    const [a, b] = [pick(lines.length), pick(lines.length)];
    const [one, other] = [lines[a], lines[b]];
    if (one === undefined || other === undefined) return;
    [one[1], other[1]] = [other[1], one[1]];
  }),
  "a line was moved": onLines((lines, pick) => {
    const [moved] = lines.splice(pick(lines.length), 1);
    if (moved !== undefined) lines.splice(pick(lines.length + 1), 0, moved);
  }),
  "a line is doubled": inserting((lines, pick) => lines[pick(lines.length)]?.[1] ?? ""),
  "the last line is doubled": onLines((lines) => {
    const last = lines.at(-1);
    if (last !== undefined) lines.push([...last]);
  }),
  "an empty line is put in": inserting(() => ""),
  "a line without a hash is put in": inserting((lines, pick) =>
    (lines[pick(lines.length)]?.[1] ?? "").replace(/,"hash":"\w+"\}$/, "}"),
  ),
  "a word of a line is another": onLines((lines, pick) => {
    const line = lines[pick(lines.length)];
    if (line !== undefined) line[1] = line[1].replace('"sessionId":"s"', '"sessionId":"t"');
  }),
  "a hash is another": onLines((lines, pick) => {
    const [line, from] = [lines[pick(lines.length)], lines[pick(lines.length)]];
    if (line !== undefined && from !== undefined) line[1] = line[1].slice(0, -67) + from[1].slice(-67);
  }),
  "a file is gone": (files, pick) => files.toSpliced(pick(files.length), 1),
  "two files changed places": (files, pick) => {
    const a = pick(files.length);
    const b = (a + 1 + pick(files.length - 1)) % files.length;
    const named = (index: number) => (index === a ? b : index === b ? a : index);
    return files.map(([name], index) => [name, files[named(index)]?.[1] ?? Buffer.of()]);
  },
};

function isSame(a: Files, b: Files): boolean {
  return (
    a.length === b.length && a.every(([name, bytes], at) => b[at]?.[0] === name && bytes.equals(b[at][1]))
  );
}

/**
 * The lines that are there. A piece without a line break counts where it does not stand at the very end, and is none of
 * the lines that were written, even where nothing but the break is gone.
 */
function linesLeft(files: Files): readonly string[] {
  return files.flatMap(([name, bytes], index) => {
    const piece = bytes.subarray(bytes.lastIndexOf("\n") + 1).toString("latin1");
    return [
      ...wholeLines([[name, bytes]]),
      ...(piece === "" || index === files.length - 1 ? [] : [`${piece} without a break`]),
    ];
  });
}

describe("journal.chain: lines that hold are the first that were written, whatever was done to a record", () => {
  /** To make files takes longest: few records are written, and changed in many ways. */
  const records = fc.sample(Written, RECORDS).map((written) => {
    using folder = new RecordFolder();
    folder.record("run", written.texts, written);
    return { ...written, files: folder.files("run") };
  });

  test("and all of them do where nothing was", () => {
    using folder = new RecordFolder();
    for (const { files } of records) {
      folder.replace("run", files);
      const lines = wholeLines(files);
      const said = { lines: lines.length, first: 1, gone: 0, files: files.length, isCut: false };
      expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "holds", ...said });
    }
  });

  test.each(Object.entries(CHANGES))("%s", (_, change) => {
    using folder = new RecordFolder();
    let told = 0;
    fc.assert(
      fc.property(fc.constantFrom(...records), picks, ({ files }, stream) => {
        const pick = (max: number): number => (max < 1 ? 0 : (stream.next().value ?? 0) % max);
        const after = change(files, pick);
        if (isSame(files, after) || after.length === 0) return;
        folder.replace("run", after);
        const [lines, left] = [wholeLines(files), linesLeft(after)];
        const last = lines.at(-1)?.slice(-66, -2) ?? "";
        const result = verifyRun(folder.path, "run", new Set([last]));
        const { kind, gone } = result;
        const other = left.findIndex((line, at) => line !== lines[at + gone]);
        const same = other < 0 ? left.length : other;
        // What holds is a part of what was written, and nothing else is there; a break is at the first other line.
        if (kind === "holds") expect(same).toBe(left.length);
        if (kind === "not chained") expect(left.some((line) => line.includes('"hash"'))).toBe(false);
        else expect(result.lines - gone).toBe(same);
        const isWhole = kind !== "not chained" && result.lines === lines.length;
        const reach = reachOf(result, { hash: last, lines: lines.length });
        expect(reach.kind).toBe(isWhole ? "reached" : "not reached");
        // A file that is gone at either end breaks nothing: that it is gone, or that the head is not there, is told.
        told += kind === "holds" && gone === 0 && isWhole ? 0 : 1;
      }),
      { numRuns: RUNS },
    );
    expect(told).toBeGreaterThan(0);
  });
});
