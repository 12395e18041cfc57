import { hash } from "node:crypto";
import { appendFileSync, chmodSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { headOf, type JournalHead, printHead, reachOf, readHeads } from "../../../src/journal/heads.ts";
import { readRun } from "../../../src/journal/record.ts";
import { verifyRun } from "../../../src/journal/verify.ts";
import { event, RecordFolder, wholeLines } from "../../support/journal/records.ts";
import { refusalOf } from "../config/machine.ts";

const TEXTS = ["none", "one", "two", "three", "four"];

/** A record of five lines in one file, and what its lines are then. */
function changed(change: (lines: readonly string[]) => readonly string[]) {
  using folder = new RecordFolder();
  folder.record("run", TEXTS);
  const files = folder.files("run");
  const text = change(wholeLines(files)).map((line) => `${line}\n`);
  folder.replace("run", [["run.jsonl", Buffer.from(text.join(""), "latin1")]]);
  return verifyRun(folder.path, "run");
}

describe("journal.chain: a break is told with its place and what it looks like", () => {
  test.each<
    [claim: string, change: (lines: readonly string[]) => readonly string[], line: number, reason: string]
  >([
    [
      "a line that says something else",
      (lines) => lines.with(2, (lines[2] ?? "").replace("two", "2")),
      3,
      "edited",
    ],
    ["the last line, too", (lines) => lines.with(4, (lines[4] ?? "").replace("four", "4")), 5, "edited"],
    ["the first line, too", (lines) => lines.with(0, (lines[0] ?? "").replace("none", "0")), 1, "edited"],
    [
      "a hash that is another",
      (lines) => lines.with(2, (lines[2] ?? "").replace(/\w"\}$/, '!"}')),
      3,
      "no event",
    ],
    ["a line that is gone before it", (lines) => lines.toSpliced(2, 1), 3, "out of place"],
    ["the first line is gone", (lines) => lines.slice(1), 1, "out of place"],
    ["a line twice", (lines) => lines.toSpliced(2, 0, lines[1] ?? ""), 3, "out of place"],
    [
      "lines that changed places",
      (lines) => [...lines.slice(0, 2), ...lines.slice(2).toReversed()],
      3,
      "out of place",
    ],
    ["a line without its hash", (lines) => lines.with(1, bare(lines[1] ?? "")), 2, "no hash"],
    ["the first line without its hash", (lines) => lines.with(0, bare(lines[0] ?? "")), 1, "no hash"],
    [
      "all but the last line without their hashes",
      (lines) => [...lines.slice(0, 4).map(bare), lines[4] ?? ""],
      1,
      "no hash",
    ],
    ["an empty line", (lines) => lines.toSpliced(2, 0, ""), 3, "no event"],
    ["an empty line at the end", (lines) => [...lines, ""], 6, "no event"],
    ["words", (lines) => lines.with(3, "nothing happened"), 4, "no event"],
  ])("%s", (_, change, line, reason) => {
    expect(changed(change)).toMatchObject({ kind: "broken", reason, line, lines: line - 1 });
  });

  test("a line of another run is none of this one, and a record under another name holds no more", () => {
    using folder = new RecordFolder();
    for (const run of ["run", "other"]) folder.record(run, TEXTS);
    const [mine, theirs] = [wholeLines(folder.files("run")), wholeLines(folder.files("other"))];
    expect(mine.map(bare)).toEqual(theirs.map(bare));
    expect(changed((lines) => lines.with(0, theirs[0] ?? ""))).toMatchObject({ kind: "broken", line: 1 });
    renameSync(folder.at("run.jsonl"), folder.at("third.jsonl"));
    expect(verifyRun(folder.path, "third")).toMatchObject({ kind: "broken", line: 1, lines: 0 });
    expect(verifyRun(folder.path, "other")).toMatchObject({ kind: "holds", lines: 5 });
  });

  test("a byte that reads the same is another", () => {
    using folder = new RecordFolder();
    folder.record("run", ["none", "a\u{fffd}b"]);
    expect(verifyRun(folder.path, "run").kind).toBe("holds");
    const bytes = Buffer.from(
      (folder.files("run")[0]?.[1] ?? Buffer.of()).toString("latin1").replace("\xef\xbf\xbd", "\xff"),
      "latin1",
    );
    folder.replace("run", [["run.jsonl", bytes]]);
    expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "broken", line: 2 });
  });

  test("a file that this user may not read", () => {
    using folder = new RecordFolder();
    folder.record("run", TEXTS);
    chmodSync(folder.path, 0o755);
    chmodSync(folder.at("run.jsonl"), 0);
    asOrdinaryUser(() => {
      expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "broken", reason: "unreadable", line: 1 });
      expect(readRun(folder.path, "run")).toEqual({ events: [], problem: "line 1 can't be read: EACCES" });
    });
  });
});

test("journal.chain: what a supervisor that died left of its last line is told apart, and counts for nothing", () => {
  using folder = new RecordFolder();
  folder.record("run", TEXTS);
  const [line = ""] = wholeLines(folder.files("run"));
  // A whole line without its end is none: what reads it as one could be told what nobody wrote.
  for (const piece of ['{"version":1,"se', line]) {
    folder.record("cut", TEXTS);
    appendFileSync(folder.at("cut.jsonl"), piece);
    expect(verifyRun(folder.path, "cut")).toMatchObject({ kind: "holds", lines: 5, isCut: true });
    expect(readRun(folder.path, "cut")).toMatchObject({ events: { length: 5 }, problem: "cut off" });
    rmSync(folder.at("cut.jsonl"));
  }
  expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "holds", lines: 5, isCut: false });
  folder.record("files", TEXTS, { segmentBytes: 1 });
  for (const [bytes, isCut] of [
    [100, true],
    [0, false],
  ] as const) {
    truncateSync(folder.at("files.jsonl.000005"), bytes);
    expect(verifyRun(folder.path, "files")).toMatchObject({ kind: "holds", lines: 7, files: 5, isCut });
  }
});

test("journal.chain: a record without hashes is never fine, as an old one or as somebody left it", () => {
  using folder = new RecordFolder();
  folder.record("run", TEXTS);
  const old = wholeLines(folder.files("run")).map((line) => `${bare(line)}\n`);
  folder.replace("run", [["run.jsonl", Buffer.from(old.join(""))]]);
  const result = verifyRun(folder.path, "run");
  expect(result).toMatchObject({ kind: "not chained", lines: 5 });
  expect(headOf(result)).toBeNull();
  expect(changed(() => ["once", "upon", "a time"])).toMatchObject({
    kind: "broken",
    reason: "no event",
    line: 1,
  });
  expect(readRun(folder.path, "run").events).toEqual(TEXTS.map((text, seq) => event(seq, text)));
});

test("journal.chain: what was cut off whole, or written anew with hashes and all, shows against a head", () => {
  using folder = new RecordFolder();
  folder.record("run", TEXTS.slice(0, 4));
  const early = kept(folder);
  rmSync(folder.at("run.jsonl"));
  folder.record("run", TEXTS);
  const head = kept(folder);
  const reached = (one: JournalHead) => reachOf(verifyRun(folder.path, "run", new Set([one.hash])), one);
  expect([early, head].map(reached)).toEqual([
    { kind: "reached", after: 1 },
    { kind: "reached", after: 0 },
  ]);
  expect(reached({ ...head, lines: 4 })).toEqual({ kind: "not reached" });
  const [first = "", second = "", ...rest] = wholeLines(folder.files("run"));
  truncateSync(folder.at("run.jsonl"), [first, second, ...rest.slice(0, -1)].join("\n").length + 1);
  expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "holds", lines: 4, isCut: false });
  expect([early, head].map(reached)).toEqual([{ kind: "reached", after: 0 }, { kind: "not reached" }]);
  rmSync(folder.at("run.jsonl"));
  folder.record("run", TEXTS.with(1, "one, as somebody would have it"));
  expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "holds", lines: 5 });
  expect([early, head].map(reached)).toEqual([{ kind: "not reached" }, { kind: "not reached" }]);
});

test("the hashes are those that the text of `chain.ts` says", () => {
  using folder = new RecordFolder();
  folder.record("run", ["none", "one"]);
  let before = hash("sha256", '["cofferdam journal",1,"run",1,null]');
  for (const [seq, line] of wholeLines(folder.files("run")).entries()) {
    const text = JSON.stringify(event(seq, ["none", "one"][seq] ?? ""));
    before = hash("sha256", before + text);
    expect(line).toBe(`${text.slice(0, -1)},"hash":"${before}"}`);
  }
});

test("a head is read as it was printed, in words and as JSON; what is none is refused with its line", () => {
  const heads: readonly JournalHead[] = [
    { run: "run", lines: 9, hash: "0123456789abcdef".repeat(4), at: "2030-01-02T03:04:05.678Z" },
    { run: "a run of mine", lines: 1, hash: "f".repeat(64), at: null },
  ];
  expect(readHeads(heads.map((head) => `${printHead(head)}\n`).join("\n"))).toEqual(heads);
  expect(readHeads(heads.map((head) => `${JSON.stringify(head)}\n`).join(""))).toEqual(heads);
  for (const line of ["nothing", "{}", `${"f".repeat(63)} 1 - run`, `${"f".repeat(64)} 0 - run`])
    expect(refusalOf(() => readHeads(`\n${line}`))).toMatchObject({
      code: "USAGE",
      message: `line 2 is not a head: \`${line}\``,
    });
});

test("a line that is too long for an event is none, and is not kept in memory", () => {
  using folder = new RecordFolder();
  folder.record("run", TEXTS);
  const lines = wholeLines(folder.files("run"));
  writeFileSync(folder.at("run.jsonl"), `${lines.slice(0, 2).join("\n")}\n`);
  truncateSync(folder.at("run.jsonl"), 80 * 1024 * 1024);
  appendFileSync(folder.at("run.jsonl"), `\n${lines.slice(2).join("\n")}\n`);
  expect(verifyRun(folder.path, "run")).toMatchObject({ kind: "broken", reason: "no event", line: 3 });
  expect(readRun(folder.path, "run").problem).toBe("line 3 is not an event");
});

function bare(line: string): string {
  return line.replace(/,"hash":"\w+"\}$/, "}");
}

function kept(folder: RecordFolder): JournalHead {
  const head = headOf(verifyRun(folder.path, "run"));
  if (head === null) throw new Error("there is no head");
  return head;
}

/** Root may read everything. */
function asOrdinaryUser(look: () => void): void {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    look();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
