import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newestOf, SERIES } from "../scripts/lib/kernels/archive.ts";
import { JOBS } from "../scripts/lib/kernels/job.ts";
import { outcomeOf } from "../scripts/lib/kernels/outcome.ts";
import { kernelsInWords, kernelsPage } from "../scripts/lib/kernels/page.ts";
import { isWhole, readRecords, recorded } from "../scripts/lib/kernels/record.ts";
import { tableOf } from "../scripts/lib/kernels/table.ts";

test("docs/reference/kernels.json tells of series and jobs that there are, each with a number of what was seen", () => {
  const records = readRecords();
  const known = SERIES.map(({ name }) => name);
  expect(records.map(({ series }) => series)).toEqual(
    known.filter((name) => records.some(({ series }) => series === name)),
  );
  for (const { seen } of records)
    for (const [name, words] of Object.entries(seen)) {
      expect(JOBS.map((job) => job.name)).toContain(name);
      expect(words).toMatch(/^[1-9]/);
    }
});

// `npx vitest run test/kernels.test.ts -u` writes it.
test("docs/reference/kernels.md says what docs/reference/kernels.json says", async () => {
  await expect(kernelsPage(readRecords())).toMatchFileSnapshot("../docs/reference/kernels.md");
});

test("of the packages of a series the newest is taken, and none for clouds or real time", () => {
  const names = [
    "6.1.0-9",
    "6.1.0-56",
    "6.1.0-57-cloud",
    "6.1.0-58-rt",
    "6.12.9+deb12",
    "6.12.117+deb12",
    "6.12.118",
  ];
  const all = names.map((name) => `linux-image-${name}-amd64`);
  expect(SERIES.map((series) => newestOf(series, [...all, `${all[1]}-dbg`, `${all[5]}-unsigned`]))).toEqual([
    "linux-image-6.1.0-56-amd64",
    "linux-image-6.12.117+deb12-amd64",
  ]);
  expect(SERIES.map((series) => newestOf(series, []))).toEqual([undefined, undefined]);
});

describe("a record", () => {
  const kernel = { series: "6.1", version: "linux 6.1-2" };
  const [one, two] = JOBS;
  if (one === undefined || two === undefined) throw new Error("there are no jobs");
  const held = JOBS.map((job) => ({ job, problems: [], seen: "2 acts refused" }));

  test("is whole where every job held, and SECURITY.md says so of no other kernel", () => {
    const [whole] = recorded([], kernel, { release: "6.1.0-9" }, held);
    const [part] = recorded([], kernel, { release: "6.1.0-9" }, held.slice(1));
    if (whole === undefined || part === undefined) throw new Error("nothing is recorded");
    expect([isWhole(whole), isWhole(part)]).toEqual([true, false]);
    expect(kernelsInWords([whole])).toContain("`6.1.0-9`: all of it held");
    expect(kernelsInWords([part])).toContain(
      `\`6.1.0-9\`: ${JOBS.length - 1} of ${JOBS.length} parts seen to hold`,
    );
    expect(kernelsPage([part])).toContain("| doctor, as root | – |");
  });

  test("keeps what other runs saw of the same kernel, and loses what no longer holds", () => {
    const first = recorded([], kernel, {}, held);
    const other = recorded(first, { series: "6.12", version: "linux 6.12-1" }, {}, held);
    expect(other.map(({ series }) => series)).toEqual(["6.1", "6.12"]);
    const [again] = recorded(other, kernel, {}, [
      { job: one, problems: ["a"], seen: "" },
      { job: two, problems: [], seen: "3 acts refused" },
    ]);
    expect(Object.keys(again?.seen ?? {})).toEqual(JOBS.slice(1).map(({ name }) => name));
    expect(again?.seen[two.name]).toBe("3 acts refused");
    const [newer] = recorded(other, { ...kernel, version: "linux 6.1-3" }, {}, held.slice(0, 1));
    expect(Object.keys(newer?.seen ?? {})).toEqual([one.name]);
  });
});

describe("what a job left is read:", () => {
  let out: string;
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), "cofferdam-kernels-"));
  });
  afterEach(() => rmSync(out, { recursive: true }));

  /** What is said of a job that left a report, and of how it ended: status, seconds, cgroups left. */
  const found = (kind: string, report: unknown, status = "0 7 0") => {
    const job = JOBS.find((one) => one.name === `root-${kind}`);
    if (job === undefined) throw new Error(kind);
    const ending = kind === "limits" ? "report" : "stdout";
    writeFileSync(join(out, `${job.name}.${ending}`), JSON.stringify(report, null, 2));
    if (status !== "") writeFileSync(join(out, `${job.name}.status`), `${status}\n`);
    return outcomeOf(job, out);
  };

  const held = { kind: "held", door: null, except: null };
  const doctor = {
    ...{ problem: null, cgroups: 2, tree: { memory: held, pids: held } },
    probes: [{ name: "devices", isNeeded: true, result: { kind: "works" } }],
  };
  const act = { claim: "fs.read", title: "a", holds: true, control: true, note: null };
  const passed = { fullName: "is so", status: "passed", failureMessages: [] };
  const file = { name: "a.test.ts", status: "passed", message: "", assertionResults: [passed] };
  const tests = { numPassedTests: 1, testResults: [file] };

  test("all parts, acts and tests that hold are told, with their number", () => {
    expect(found("doctor", doctor)).toMatchObject({ problems: [], seen: "1 part works", seconds: 7 });
    expect(found("selftest", { tried: [act, { ...act, control: null }] })).toMatchObject({
      problems: [],
      seen: "2 acts refused",
    });
    expect(found("limits", tests)).toMatchObject({ problems: [], seen: "1 test passes" });
  });

  test("whatever does not hold is a problem, by its name", () => {
    const absent = { kind: "absent", reason: "no cgroup can be made here", fix: "" };
    const failing = { name: "devices", isNeeded: true, result: { kind: "fails" } };
    const bad = { ...doctor, problem: "no sandbox", cgroups: 1, tree: { memory: absent, pids: held } };
    expect(found("doctor", { ...bad, probes: [failing] }).problems).toEqual([
      "no sandbox",
      "devices does not work",
      "cgroups of version 1",
      "memory: no cgroup can be made here",
    ]);
    const acts = [
      { ...act, holds: false },
      { ...act, control: false },
      { ...act, holds: null, note: "no perl" },
    ];
    expect(found("selftest", { tried: acts }).problems).toEqual([
      "fs.read: a: was done",
      "fs.read: a: the control failed",
      "fs.read: a: not tried (no perl)",
    ]);
    const failed = { ...passed, status: "failed", failureMessages: ["expected 1\nat x"] };
    const unread = { ...file, status: "failed", message: "no such module\nat y", assertionResults: [] };
    const files = [{ ...file, status: "failed", assertionResults: [failed, passed] }, unread];
    expect(found("limits", { numPassedTests: 1, testResults: files }).problems).toEqual([
      "is so: expected 1",
      "a.test.ts: no such module",
    ]);
    const skipped = {
      numPassedTests: 0,
      testResults: [{ ...file, assertionResults: [{ ...passed, status: "skipped" }] }],
    };
    expect(found("limits", skipped).problems).toEqual(["no test was tried"]);
  });

  test("a job that did not end, ended badly, said nothing or left a cgroup has failed", () => {
    expect(found("doctor", doctor, "").problems).toEqual(["it did not end"]);
    expect(found("doctor", doctor, "124 7 0").problems).toEqual(["it ended with 124"]);
    expect(found("doctor", doctor, "0 7 2").problems).toEqual(["2 cgroups of calls are left"]);
    expect(found("doctor", {}).problems).toEqual(["it left no report"]);
  });

  test("failures stand first in the table", () => {
    const kernel = { series: "6.1", version: "linux-image-6.1.0-56-amd64 6.1.192-2", image: "", modules: "" };
    const outcomes = [found("doctor", doctor), found("limits", tests, "1 8 0")];
    expect(tableOf([{ kernel, outcomes, out, broken: null }]).split("\n")).toEqual([
      "FAILED  6.1    root           limits         8 s   1 test passes",
      "        it ended with 1",
      "holds   6.1    root           doctor         7 s   1 part works",
    ]);
    const broken = tableOf([{ kernel, outcomes: [], out, broken: "the machine ended" }]);
    expect(broken).toBe("FAILED  6.1    the machine ended");
  });
});
