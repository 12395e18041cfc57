import {
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { FileJournal } from "../../../src/journal/journal.ts";
import { readRun } from "../../../src/journal/record.ts";
import { removeOldRecords } from "../../../src/journal/retention.ts";
import { verifyRun } from "../../../src/journal/verify.ts";
import { event, RecordFolder } from "../../support/journal/records.ts";

const CONFIG = "/p/cofferdam.yaml";
const HOUR = 3_600_000;
const RETENTION = { config: CONFIG, keepMs: 10 * HOUR };
const NOW = Date.now();

/** Makes files look as if they had last been written to so many hours ago. */
function age(folder: RecordFolder, hours: number, ...names: readonly string[]): void {
  const at = (NOW - hours * HOUR) / 1000;
  for (const name of names) utimesSync(folder.at(name), at, at);
}

const namesIn = (folder: RecordFolder) => readdirSync(folder.path).toSorted();

describe("records that are too old", () => {
  test("are removed whole, and younger ones stay", () => {
    using folder = new RecordFolder();
    for (const run of ["old", "young"])
      folder.record(run, ["none", "one"], { segmentBytes: 1, config: CONFIG });
    age(folder, 11, "old.jsonl", "old.jsonl.000002");
    age(folder, 9, "young.jsonl", "young.jsonl.000002");
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toEqual(["young.jsonl", "young.jsonl.000002"]);
  });

  test("lose their first files while a run goes on, and never one between two", () => {
    using folder = new RecordFolder();
    folder.record("run", ["none", "one", "two", "three"], { segmentBytes: 1, config: CONFIG });
    age(folder, 11, "run.jsonl", "run.jsonl.000002", "run.jsonl.000004");
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toEqual(["run.jsonl.000003", "run.jsonl.000004"]);
    expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "holds", first: 3, gone: 3, lines: 7 });
    age(folder, 11, "run.jsonl.000003");
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toEqual([]);
  });

  test("are removed below a supervisor that has long been idle, whose next event begins another file", () => {
    using folder = new RecordFolder();
    using journal = new FileJournal(folder.path, "run");
    journal.write(event(0, "none", CONFIG));
    age(folder, 11, "run.jsonl");
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toEqual([]);
    journal.write(event(1, "one"));
    expect(namesIn(folder)).toEqual(["run.jsonl.000002"]);
    expect(readRun(folder.path, "run").events.at(-1)).toEqual(event(1, "one"));
    expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "holds", first: 2 });
    age(folder, 11, "run.jsonl.000002");
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toEqual([]);
  });

  test("of another config, of none, and what is no record stay, however old", () => {
    using folder = new RecordFolder();
    folder.record("mine", ["none"], { config: CONFIG });
    folder.record("other", ["none"], { config: "/q/cofferdam.yaml" });
    folder.record("default", ["none"]);
    folder.record("gate", ["none"], { config: CONFIG });
    const [, second = Buffer.of()] = folder.files("mine")[0] ?? [];
    const others: Readonly<Record<string, string | Buffer>> = {
      "data.jsonl": '{"config":"/p/cofferdam.yaml","type":"session.started"}\n',
      "empty.jsonl": "",
      "binary.jsonl": Buffer.of(0, 255, 10),
      "notes.txt": second,
      "notes.txt.aside": second,
      "data.jsonl.aside": "{}\n",
    };
    for (const [name, data] of Object.entries(others)) writeFileSync(folder.at(name), data);
    mkdirSync(folder.at("folder.jsonl"));
    symlinkSync("mine.jsonl", folder.at("link.jsonl"));
    const before = namesIn(folder);
    age(folder, 1000, ...before.filter((name) => name !== "link.jsonl"));
    age(folder, 1, "gate.jsonl");
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toEqual(before.filter((name) => name !== "mine.jsonl"));
  });

  test("that were left aside by one who was killed at it come back, unless there is another in their place", () => {
    using folder = new RecordFolder();
    folder.record("run", ["none"], { config: CONFIG });
    renameSync(folder.at("run.jsonl"), folder.at("run.jsonl.aside"));
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toEqual(["run.jsonl"]);
    linkSync(folder.at("run.jsonl"), folder.at("run.jsonl.aside"));
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toContain("run.jsonl");
    rmSync(folder.at("run.jsonl"));
    age(folder, 11, "run.jsonl.aside");
    removeOldRecords(folder.path, RETENTION, NOW);
    expect(namesIn(folder)).toEqual([]);
  });
});

test("what removes is asked whenever a file of the record has ended", () => {
  using folder = new RecordFolder();
  let times = 0;
  folder.record("run", ["none", "one", "two"], { segmentBytes: 1, afterSegment: () => (times += 1) });
  expect(times).toBe(2);
});
