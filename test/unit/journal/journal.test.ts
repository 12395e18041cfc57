import { appendFileSync, mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { Event } from "../../../src/event/event.ts";
import { FileJournal, readRun, recordedRuns } from "../../../src/journal/journal.ts";
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
  expect(readRun(folder, "cut")).toEqual({ events: [event], problem: "line 2 is no event" });
});

test("what is no plain file is no record", () => {
  const { folder } = recorded();
  symlinkSync("nowhere", `${folder}/dangling.jsonl`);
  mkdirSync(`${folder}/folder.jsonl`);
  expect(recordedRuns(folder).toSorted()).toEqual(["cut", "whole"]);
  for (const run of ["dangling", "folder"])
    expect(refusalOf(() => readRun(folder, run)).message).toBe(`there is no run \`${run}\``);
});
