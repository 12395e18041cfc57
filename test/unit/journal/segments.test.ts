import { spawn } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { headOf, reachOf } from "../../../src/journal/heads.ts";
import { FileJournal } from "../../../src/journal/journal.ts";
import { filedRuns, readRun, recordedRuns } from "../../../src/journal/record.ts";
import { verifyRun } from "../../../src/journal/verify.ts";
import { event, RecordFolder, wholeLines } from "../../support/journal/records.ts";
import { refusalOf } from "../config/machine.ts";

const TEXTS = ["none", "one", "two", "three", "four"];
const NAMES = ["run.jsonl", ...[2, 3, 4, 5].map((number) => `run.jsonl.00000${number}`)];

/** A record with a file for each event. */
function inFiles(): RecordFolder {
  const folder = new RecordFolder();
  folder.record("run", TEXTS, { segmentBytes: 1, config: "/p/cofferdam.yaml" });
  return folder;
}

describe("journal.chain: a record in several files is one", () => {
  test("each file but the first begins with what it goes on from, and all are read as one run", () => {
    using folder = inFiles();
    expect(readdirSync(folder.path).toSorted()).toEqual(NAMES);
    const { events, problem } = readRun(folder.path, "run");
    const [config, at] = ["/p/cofferdam.yaml", "2030-01-02T03:04:05.678Z"];
    expect(problem).toBeNull();
    expect(events.filter(({ type }) => type !== "journal.continued")).toEqual(
      TEXTS.map((text, seq) => event(seq, text, config)),
    );
    expect(events[3]).toEqual({
      ...{ version: 1, seq: 2, at, runId: "run", sessionId: "s", callId: null },
      ...{ type: "journal.continued", segment: 3, lines: 3, config },
      previous: JSON.parse(wholeLines(folder.files("run"))[2] ?? "").hash,
    });
    expect(recordedRuns(folder.path)).toEqual(["run"]);
    const said = { kind: "holds", lines: 9, files: 5, first: 1, gone: 0 };
    expect(verifyRun(folder.path, "run")).toMatchObject(said);
  });

  test("a file ends when it has reached its size, and not before", () => {
    using folder = new RecordFolder();
    folder.record("run", ["none"]);
    const { length: bytes } = folder.files("run")[0]?.[1] ?? Buffer.of();
    rmSync(folder.at("run.jsonl"));
    folder.record("a", ["none", "one"], { segmentBytes: bytes + 1 });
    folder.record("b", ["none", "one"], { segmentBytes: bytes });
    expect(
      filedRuns(folder.path)
        .map(({ run, segments }) => [run, segments.length])
        .toSorted(),
    ).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    const message = "`segmentBytes` is not a number of bytes";
    for (const segmentBytes of [0, 1.5, Number.NaN])
      expect(refusalOf(() => new FileJournal(folder.path, "c", { segmentBytes }))).toMatchObject({
        code: "USAGE",
        message,
      });
  });

  test("files that are gone at the beginning are told, and what is left holds", () => {
    using folder = inFiles();
    const head = headOf(verifyRun(folder.path, "run"));
    for (const name of NAMES.slice(0, 2)) rmSync(folder.at(name));
    const [, , , , previous = ""] = [
      ...Array(4),
      JSON.parse(wholeLines(folder.files("run"))[0] ?? "").previous,
    ];
    const result = verifyRun(folder.path, "run", new Set([head?.hash ?? "", previous]));
    expect(result).toMatchObject({ kind: "holds", lines: 9, files: 3, first: 3, gone: 3 });
    expect(reachOf(result, { hash: head?.hash ?? "", lines: 9 })).toEqual({ kind: "reached", after: 0 });
    expect(reachOf(result, { hash: previous, lines: 3 })).toEqual({ kind: "reached", after: 6 });
    expect(reachOf(result, { hash: "0".repeat(64), lines: 2 })).toEqual({ kind: "gone" });
    expect(reachOf(result, { hash: "0".repeat(64), lines: 4 })).toEqual({ kind: "not reached" });
    expect(readRun(folder.path, "run")).toMatchObject({ events: { length: 6 }, problem: null });
  });

  test.each<
    [claim: string, change: (folder: RecordFolder) => void, name: string, line: number, reason: string]
  >([
    [
      "is missing between two",
      (folder) => rmSync(folder.at("run.jsonl.000003")),
      "run.jsonl.000003",
      1,
      "missing",
    ],
    [
      "was cut at a line",
      (folder) => truncateSync(folder.at("run.jsonl.000003"), firstLine(folder, 2).length + 1),
      "run.jsonl.000004",
      1,
      "out of place",
    ],
    [
      "was cut in a line",
      (folder) => truncateSync(folder.at("run.jsonl.000003"), 40),
      "run.jsonl.000003",
      1,
      "no event",
    ],
    [
      "is empty",
      (folder) => truncateSync(folder.at("run.jsonl.000003"), 0),
      "run.jsonl.000004",
      1,
      "out of place",
    ],
    [
      "has lost what it begins with",
      (folder) => writeFileSync(folder.at("run.jsonl.000003"), `${wholeLines(folder.files("run"))[4]}\n`),
      "run.jsonl.000003",
      1,
      "out of place",
    ],
    [
      "follows files that were written anew, hashes and all, with as many lines",
      (folder) => {
        using other = new RecordFolder();
        other.record("run", TEXTS.with(1, "uno"), { segmentBytes: 1, config: "/p/cofferdam.yaml" });
        folder.replace("run", [...other.files("run").slice(0, 2), ...folder.files("run").slice(2)]);
      },
      "run.jsonl.000003",
      1,
      "out of place",
    ],
    [
      "is another's",
      (folder) => {
        folder.record("other", TEXTS, { segmentBytes: 1, config: "/p/cofferdam.yaml" });
        renameSync(folder.at("other.jsonl.000003"), folder.at("run.jsonl.000003"));
      },
      "run.jsonl.000003",
      1,
      "edited",
    ],
  ])("one that %s is a break", (_, change, name, line, reason) => {
    using folder = inFiles();
    change(folder);
    expect(verifyRun(folder.path, "run")).toMatchObject({
      kind: "broken",
      file: folder.at(name),
      line,
      reason,
    });
  });

  test("where one is missing, what is read ends", () => {
    using folder = inFiles();
    rmSync(folder.at("run.jsonl.000003"));
    expect(readRun(folder.path, "run")).toMatchObject({
      events: { length: 3 },
      problem: "file 3 of the record is missing",
    });
    truncateSync(folder.at("run.jsonl.000002"), 30);
    expect(readRun(folder.path, "run").problem).toBe("cut off, in file 2 of the record");
  });
});

test("names of files are read in one way: a run that is named like another's file is its own", () => {
  using folder = new RecordFolder();
  folder.record("run", TEXTS, { segmentBytes: 1 });
  folder.record("run.jsonl.000002", TEXTS, { segmentBytes: 1 });
  folder.record("run.2", ["none"]);
  const others = [
    "run.jsonl.2",
    "run.jsonl.000001",
    "run.jsonl.0000002",
    ".jsonl",
    "run.jsonl.000009x",
    "run.json",
  ];
  for (const name of others) writeFileSync(folder.at(name), "");
  mkdirSync(folder.at("folder.jsonl"));
  symlinkSync(folder.at("run.2.jsonl"), folder.at("link.jsonl"));
  expect(recordedRuns(folder.path).toSorted()).toEqual(["run", "run.2", "run.jsonl.000002"]);
  for (const run of ["run", "run.jsonl.000002"])
    expect(verifyRun(folder.path, run)).toMatchObject({ kind: "holds", lines: 9, files: 5 });
});

test("the run that was written to last is the latest, whichever of its files that was", () => {
  using folder = new RecordFolder();
  for (const run of ["a", "b", "c"]) folder.record(run, ["none", "one"], { segmentBytes: 1 });
  const at = (name: string, seconds: number) => utimesSync(folder.at(name), seconds, seconds);
  for (const [index, run] of ["a", "b", "c"].entries()) {
    at(`${run}.jsonl`, 1000 - index);
    at(`${run}.jsonl.000002`, 2000 + index);
  }
  expect(recordedRuns(folder.path)).toEqual(["c", "b", "a"]);
});

describe("a record whose file is not where readers look goes on in another", () => {
  test.each<[string, (file: string) => void]>([
    ["was removed", (file) => rmSync(file)],
    ["was moved away", (file) => renameSync(file, `${file}.old`)],
    [
      "was replaced, as by an editor that saves",
      (file) => {
        writeFileSync(`${file}.new`, "");
        renameSync(`${file}.new`, file);
      },
    ],
  ])("when it %s, with the event that was on its way", (_, change) => {
    using folder = new RecordFolder();
    using journal = new FileJournal(folder.path, "run");
    journal.write(event(0, "none"));
    change(folder.at("run.jsonl"));
    journal.write(event(1, "one"));
    journal.write(event(2, "two"));
    rmSync(folder.at("run.jsonl"), { force: true });
    const { events } = readRun(folder.path, "run");
    expect(events.slice(1)).toEqual([event(1, "one"), event(2, "two")]);
    expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "holds", first: 2, gone: 2, lines: 5 });
  });

  test("and when that is taken away as well, nothing is recorded, so that nothing may happen", () => {
    using folder = new RecordFolder();
    const afterSegment = () => rmSync(folder.at("run.jsonl.000002"));
    using journal = new FileJournal(folder.path, "run", { afterSegment });
    journal.write(event(0, "none"));
    rmSync(folder.at("run.jsonl"));
    const { code, message } = refusalOf(() => journal.write(event(1, "one")), folder.path);
    expect([code, message]).toEqual([
      "SANDBOX_UNAVAILABLE",
      "the record `~/run.jsonl.000002` can't be written: ESTALE",
    ]);
  });

  test("and when all of the folder is gone, nothing is recorded, so that nothing may happen", () => {
    using folder = new RecordFolder();
    using journal = new FileJournal(folder.path, "run");
    journal.write(event(0, "none"));
    renameSync(folder.path, `${folder.path}-away`);
    try {
      const refusal = refusalOf(() => journal.write(event(1, "one")));
      expect(refusal).toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
      expect(refusal.message).toMatch(/can't be written: ENOENT$/);
    } finally {
      renameSync(`${folder.path}-away`, folder.path);
    }
    journal.write(event(2, "two"));
    expect(readRun(folder.path, "run").events.at(-1)).toEqual(event(2, "two"));
    expect(verifyRun(folder.path, "run").kind).toBe("holds");
  });
});

test("a reader beside a writer sees a record that holds, up to some line, whenever it looks", async () => {
  using folder = new RecordFolder();
  const source = join(import.meta.dirname, "../../../src/journal/journal.ts");
  const script = `
    const { FileJournal } = await import(${JSON.stringify(source)});
    using journal = new FileJournal(${JSON.stringify(folder.path)}, "run", { segmentBytes: 20_000 });
    const event = ${JSON.stringify(event(1, "x".repeat(200)))};
    let isOver = false;
    process.stdin.once("end", () => (isOver = true)).resume();
    let seq = 0;
    for (; !isOver; seq += 1) {
      journal.write({ ...event, seq });
      if (seq % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    console.log(seq);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let written = "";
  child.stdout.on("data", (chunk: Buffer) => (written += chunk.toString()));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const seen: number[] = [];
  let files = 0;
  while (files < 3 || new Set(seen).size < 5) {
    await new Promise((resolve) => setImmediate(resolve));
    if (recordedRuns(folder.path).length === 0) continue;
    const result = verifyRun(folder.path, "run");
    expect(result).toMatchObject({ kind: "holds", gone: 0 });
    seen.push(result.lines);
    files = result.kind === "holds" ? result.files : 0;
  }
  child.stdin.end();
  expect(await ended).toBe(0);
  expect(seen.toSorted((a, b) => a - b)).toEqual(seen);
  const { events } = readRun(folder.path, "run");
  const places = events.flatMap(({ type, seq }) => (type === "approval.failed" ? [seq] : []));
  expect(places).toEqual([...Array(Number(written)).keys()]);
});

function firstLine(folder: RecordFolder, index: number): string {
  const file = folder.files("run")[index];
  return file === undefined ? "" : (wholeLines([file])[0] ?? "");
}
