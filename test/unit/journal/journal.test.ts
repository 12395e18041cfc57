import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Event } from "../../../src/event/event.ts";
import { FileJournal } from "../../../src/journal/journal.ts";
import { readRun, recordedRuns } from "../../../src/journal/record.ts";
import { machine, refusalOf } from "../config/machine.ts";

function recorded() {
  const folder = machine().at("journal");
  const event = Event.parse({
    version: 1,
    seq: 0,
    runId: "run",
    sessionId: "s",
    callId: null,
    at: "2030-01-02T03:04:05.678Z",
    type: "session.started",
    config: null,
    ceiling: ["protected"],
    mode: "interactive",
  });
  for (const run of ["whole", "cut"]) {
    using journal = new FileJournal(folder, run);
    journal.write(event);
  }
  return { folder, event };
}

test("a record whose last line is cut off is told as far as it goes, and says nothing about others", () => {
  const { folder, event } = recorded();
  expect(readRun(folder, "cut")).toEqual({ events: [event], problem: null });
  appendFileSync(`${folder}/cut.jsonl`, '{"version":1,"se');
  expect(readRun(folder, "cut")).toEqual({ events: [event], problem: "cut off" });
  expect(readRun(folder, "whole")).toEqual({ events: [event], problem: null });
  appendFileSync(`${folder}/cut.jsonl`, `\n${JSON.stringify(event)}\n`);
  expect(readRun(folder, "cut")).toEqual({ events: [event], problem: "line 2 is not an event" });
});

test("a record that is closed takes nothing more, and says why", () => {
  const { folder, event } = recorded();
  const journal = new FileJournal(folder, "closed");
  journal.write(event);
  journal[Symbol.dispose]();
  const refusal = refusalOf(() => journal.write(event));
  expect(refusal.message).toBe("the record is closed: its supervisor has ended");
  expect(readRun(folder, "closed").events).toEqual([event]);
});

test("what is not a regular file is no record", () => {
  const { folder } = recorded();
  symlinkSync("nowhere", `${folder}/dangling.jsonl`);
  mkdirSync(`${folder}/folder.jsonl`);
  expect(recordedRuns(folder).toSorted()).toEqual(["cut", "whole"]);
  for (const run of ["dangling", "folder"])
    expect(refusalOf(() => readRun(folder, run)).message).toBe(`no run has the id \`${run}\``);
});

test("a line for which there is no room throws and is taken back, and the next that has room is read", () => {
  const { folder, event } = recorded();
  const source = join(import.meta.dirname, "../../../src/journal/journal.ts");
  const script = `
    const { FileJournal } = await import(${JSON.stringify(source)});
    const journal = new FileJournal(${JSON.stringify(folder)}, "full");
    const event = ${JSON.stringify(event)};
    const codeOf = (config) => {
      try { journal.write({ ...event, config }); return "written"; } catch ({ code }) { return code; }
    };
    console.log([codeOf("a"), codeOf("x".repeat(9_999)), codeOf("b")].join(" "));
  `;
  // No file may grow beyond 8 blocks of 512 bytes: a write goes as far as it can, as on a full disk.
  const limited = 'ulimit -f 8 && exec "$0" --input-type=module -e "$1"';
  const { stdout } = spawnSync("sh", ["-c", limited, process.execPath, script], { encoding: "utf8" });
  expect(stdout).toBe("written SANDBOX_UNAVAILABLE written\n");
  expect(readRun(folder, "full")).toEqual({
    events: [
      { ...event, config: "a" },
      { ...event, config: "b" },
    ],
    problem: null,
  });
});
