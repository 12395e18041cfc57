import { chmodSync, mkdirSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { recordedRuns } from "../../../src/journal/record.ts";
import { verifyRun } from "../../../src/journal/verify.ts";
import { openJournal } from "../../../src/session/open-journal.ts";
import { event, RecordFolder } from "../../support/journal/records.ts";
import { machine, PLAIN, refusalOf } from "../config/machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";
const DAY = 24 * 3_600_000;

/** A project whose config says this of the journal, loaded. */
function project(journal: string) {
  const m = machine({ [CONFIG]: `${PLAIN}journal: ${journal}\n` });
  const { config } = loadConfig(m.host, { config: m.at(CONFIG) });
  return { m, config, open: (run: string) => openJournal(m.host, config, run) };
}

describe("a supervisor's record", () => {
  test("stands in the state folder where the config names no other one", () => {
    const { m, open } = project("{}");
    using journal = open("run");
    journal.write(event(0, "none"));
    expect(recordedRuns(m.at("home/ann/.local/state/cofferdam/journal"))).toEqual(["run"]);
  });

  test("stands in the folder that the config names, which is made for its owner alone", () => {
    const { m, open } = project("{ folder: ./deep/records }");
    for (const run of ["a", "b"]) {
      using journal = open(run);
      journal.write(event(0, "none"));
    }
    const folder = m.at("home/ann/project/deep/records");
    for (const path of [folder, m.at("home/ann/project/deep")])
      expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(recordedRuns(folder).toSorted()).toEqual(["a", "b"]);
    expect(verifyRun(folder, "a")).toMatchObject({ kind: "holds", lines: 1 });
  });

  test("is refused at the config's line where the folder can't be made, or is another one since", () => {
    const { m, open } = project("{ folder: ./records }");
    writeFileSync(m.at("home/ann/project/records"), "");
    expect(refusalOf(() => open("run"), m.folder)).toMatchObject({
      code: "CONFIG_INVALID",
      message: "the journal's folder `~/home/ann/project/records` was changed meanwhile",
      at: "~/home/ann/project/cofferdam.yaml:4:12",
    });
    renameSync(m.at("home/ann/project/records"), m.at("home/ann/project/file"));
    mkdirSync(m.at("home/ann/project/other"), { mode: 0o700 });
    symlinkSync("other", m.at("home/ann/project/records"));
    expect(refusalOf(() => open("run")).message).toMatch(/was changed meanwhile$/);
    renameSync(m.at("home/ann/project/records"), m.at("home/ann/project/link"));
    mkdirSync(m.at("home/ann/project/records"));
    chmodSync(m.at("home/ann/project/records"), 0o755);
    expect(refusalOf(() => open("run")).message).toMatch(/was changed meanwhile$/);
    chmodSync(m.at("home/ann/project/records"), 0o700);
    open("run")[Symbol.dispose]();
  });

  test("outlives the next start, unless the config keeps it less long; those of other configs always do", () => {
    const { m, config, open } = project("{ keep: 2d }");
    using folder = new RecordFolder(m.at("home/ann/.local/state/cofferdam/journal"));
    mkdirSync(folder.path, { recursive: true });
    const at = (Date.now() - 3 * DAY) / 1000;
    for (const [run, own] of [
      ["mine", m.at(CONFIG)],
      ["others", m.at("other.yaml")],
      ["young", m.at(CONFIG)],
    ] as const) {
      folder.record(run, ["none"], { config: own });
      if (run !== "young") utimesSync(folder.at(`${run}.jsonl`), at, at);
    }
    openJournal(m.host, { ...config, journal: { ...config.journal, keepMs: null } }, "a")[Symbol.dispose]();
    expect(recordedRuns(folder.path).toSorted()).toEqual(["mine", "others", "young"]);
    open("b")[Symbol.dispose]();
    expect(recordedRuns(folder.path).toSorted()).toEqual(["others", "young"]);
  });
});
