import { chmodSync, lchownSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { grantedRows, widerLines } from "../../../src/cli/offer-text.ts";
import { findJournal } from "../../../src/config/find-journal.ts";
import { journalPlace } from "../../../src/config/journal-place.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { parseData } from "../../../src/config/parse.ts";
import { resolveRoots } from "../../../src/config/roots.ts";
import { ConfigFile } from "../../../src/config/schema.ts";
import { listTrust, rememberTrust, trustFile } from "../../../src/config/trust.ts";
import { readYaml } from "../../../src/config/yaml.ts";
import { type Machine, machine, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

/** A project with a root, and what its config says of the journal. */
function project(journal: string): Machine {
  const m = machine({ "home/ann/project/notes/a.txt": "" });
  write(m, journal);
  mkdirSync(m.at("home/ann/records"), { mode: 0o700 });
  return m;
}

function write(m: Machine, journal: string): void {
  const sandbox = "sandbox:\n  runtimes: []\n  paths: { notes: { root: ./notes, mode: rw } }\n";
  m.write({ [CONFIG]: `version: 1\n${sandbox}journal: ${journal.replaceAll("~", m.folder)}\n` });
}

/** What a load makes of it, without what it does besides. */
function load(m: Machine) {
  const yaml = readYaml(readFileSync(m.at(CONFIG)), m.at(CONFIG), "CONFIG_INVALID");
  const { sandbox, journal } = parseData(ConfigFile, yaml);
  const roots = resolveRoots(m.host, sandbox.paths, m.project, yaml);
  return journalPlace(m.host, journal, { workspace: m.project, roots, runtimes: [] }, yaml);
}

describe("the journal's folder", () => {
  test("is one of the caller's own, there or not, relative to the config's, with how long records are kept", () => {
    const m = project("{ folder: ./records/deep, keep: 90d }");
    const before = m.inventory();
    const folder = m.at("home/ann/project/records/deep");
    const { config } = loadConfig(m.host, { config: m.at(CONFIG) });
    expect(config.journal).toEqual({ folder, written: folder, keepMs: 90 * 24 * 3_600_000 });
    expect(m.inventory()).toEqual(before);
    write(m, "{ folder: ~/home/ann/records, keep: 1h }");
    expect(load(m)).toMatchObject({ folder: m.at("home/ann/records"), keepMs: 3_600_000 });
    write(m, "{ keep: 36h }");
    expect(load(m)).toEqual({ folder: null, written: null, keepMs: 36 * 3_600_000 });
    write(m, "{}");
    expect(load(m)).toEqual({ folder: null, written: null, keepMs: null });
    symlinkSync("records", m.at("home/ann/linked"));
    write(m, "{ folder: ~/home/ann/linked/x }");
    expect(load(m)).toMatchObject({ folder: m.at("home/ann/records/x"), written: m.at("home/ann/linked/x") });
    write(m, "{ folder: ~/home/ann/.local/state/cofferdam/journal }");
    expect(load(m).folder).toBe(`${m.host.stateFolder}/journal`);
  });

  test.each<[claim: string, folder: string, what: string, prepare?: (m: Machine) => void]>([
    ["is a root", "./notes", "`~/home/ann/project/notes` is in the root `notes`"],
    ["lies in a root", "./notes/x/y", "`~/home/ann/project/notes/x/y` is in the root `notes`"],
    ["holds a root", ".", "`~/home/ann/project` contains the root `notes`"],
    [
      "is a link into a root",
      "~/home/ann/link",
      "`~/home/ann/project/notes` is in the root `notes`",
      (m) => symlinkSync("project/notes", m.at("home/ann/link")),
    ],
    [
      "is reached by a link in a root, which a tool could lead elsewhere",
      "./notes/link/x",
      "`~/home/ann/records/x` is reached by `~/home/ann/project/notes`, which is in the root `notes`",
      (m) => symlinkSync("../../records", m.at("home/ann/project/notes/link")),
    ],
    [
      "is a link that leads nowhere",
      "~/home/ann/link",
      "`~/home/ann/link` is reached by a dangling symlink",
      (m) => symlinkSync("gone/away", m.at("home/ann/link")),
    ],
    [
      "is in the state folder",
      "~/home/ann/.local/state/cofferdam/trust",
      "`~/home/ann/.local/state/cofferdam/trust` is in the state folder `~/home/ann/.local/state/cofferdam`",
    ],
    [
      "is a file",
      "./cofferdam.yaml",
      "`~/home/ann/project/cofferdam.yaml` is not a folder, or is not in a folder",
    ],
    [
      "lies in a file",
      "./cofferdam.yaml/x",
      "`~/home/ann/project/cofferdam.yaml/x` leads through a file that is not a folder",
    ],
    [
      "others can look into",
      "~/home/ann/records",
      "`~/home/ann/records` can be read by other users",
      (m) => chmodSync(m.at("home/ann/records"), 0o750),
    ],
    [
      "others can replace",
      "~/home/ann/open/x",
      "`~/home/ann/open/x` can be replaced by every user, who can write in `~/home/ann/open`",
      (m) => {
        mkdirSync(m.at("home/ann/open"));
        chmodSync(m.at("home/ann/open"), 0o777);
      },
    ],
    [
      "a group can replace",
      "~/home/ann/records",
      `\`~/home/ann/records\` can be replaced by group ${process.getgid?.()}, who can write in \`~/home/ann/records\``,
      (m) => chmodSync(m.at("home/ann/records"), 0o770),
    ],
  ])("that %s is refused at its line", (_, folder, what, prepare) => {
    const m = project(`{ folder: ${folder} }`);
    prepare?.(m);
    const { code, message, at, hint } = refusalOf(() => load(m), m.folder);
    expect([code, message, at]).toEqual([
      "CONFIG_INVALID",
      `the journal's folder ${what}`,
      "~/home/ann/project/cofferdam.yaml:5:20",
    ]);
    expect(hint).toMatch(/./);
  });

  test("that belongs to another user, or lies in what does, is refused", ({ skip }) => {
    if (process.getuid?.() !== 0) skip("only root can give folders away");
    const m = project("{ folder: ~/home/ann/records }");
    lchownSync(m.at("home/ann/records"), 4321, 4321);
    const told =
      "the journal's folder `~/home/ann/records` can be replaced by user 4321, who owns `~/home/ann/records`";
    expect(refusalOf(() => load(m), m.folder)).toMatchObject({ code: "CONFIG_INVALID", message: told });
    write(m, "{ folder: ~/home/ann/records/x }");
    expect(refusalOf(() => load(m), m.folder).message).toMatch(/can be replaced by user 4321/);
  });

  test("which programs read as a part of a runtime is refused: records are no tool's to see", () => {
    const m = project("{ folder: ~/home/ann/records/x }");
    const text = `version: 1\nsandbox:\n  runtimes: [{ name: mine, read: [${m.at("home/ann/records")}] }]\n`;
    m.write({ [CONFIG]: `${text}journal: { folder: ${m.at("home/ann/records/x")} }\n` });
    expect(refusalOf(() => loadConfig(m.host, { config: m.at(CONFIG) }), m.folder).message).toBe(
      "the journal's folder `~/home/ann/records/x` is in `~/home/ann/records`, which programs read as a part of `mine`",
    );
  });

  test.each([
    ["{ folder: ../x }", "PATH_INVALID", "the path `../x` contains `..`"],
    ["{ keep: 30m }", "CONFIG_INVALID", "invalid `journal.keep`: `30m`"],
    ["{ keep: 0d }", "CONFIG_INVALID", "invalid `journal.keep`: `0d`"],
    ["{ keep: 40000d }", "CONFIG_INVALID", "invalid `journal.keep`: `40000d`"],
    ["{ kept: 3d }", "CONFIG_INVALID", "unknown key `kept` in `journal`"],
  ])("%s means nothing, and is refused", (journal, code, message) => {
    const m = project(journal);
    expect(refusalOf(() => load(m), m.folder)).toMatchObject({ code, message });
  });
});

describe("config.trust: where records go, and for how long, is shown before it is trusted", () => {
  test("in what is offered, in what a named config grants, and as changed", () => {
    const m = project("{}");
    rememberTrust(m.host, trustFile(m.host));
    write(m, "{ folder: ~/home/ann/records, keep: 2d }");
    const told = [
      `records of its calls go to ${m.at("home/ann/records")}`,
      "ITS RECORDS ARE REMOVED after 2d",
    ];
    expect(loadConfig(m.host, { config: m.at(CONFIG) }).notes[1]).toContain(`; ${told.join("; ")}`);
    const offer = trustFile(m.host);
    const rows = grantedRows(m.host, offer.loaded);
    const from = rows.findIndex(([name]) => name === "journal");
    expect(rows.slice(from, from + 2)).toEqual([
      ["journal", told[0]],
      ["", told[1]],
    ]);
    expect(widerLines(offer)).toEqual(["it changed: cofferdam.yaml", "changed: journal"]);
    write(m, "{}");
    expect(grantedRows(m.host, trustFile(m.host).loaded).some(([name]) => name === "journal")).toBe(false);
  });

  test("and where its folder leads is a part of what is trusted", () => {
    const m = project("{ folder: ~/home/ann/link/x }");
    symlinkSync("records", m.at("home/ann/link"));
    rememberTrust(m.host, trustFile(m.host));
    mkdirSync(m.at("home/ann/records/x"), { mode: 0o700 });
    expect(loadConfig(m.host).config.journal.folder).toBe(m.at("home/ann/records/x"));
    mkdirSync(m.at("home/ann/elsewhere"), { mode: 0o700 });
    rmSync(m.at("home/ann/link"));
    symlinkSync("elsewhere", m.at("home/ann/link"));
    expect(refusalOf(() => loadConfig(m.host))).toMatchObject({ code: "CONFIG_UNTRUSTED" });
    const reason = "changed: where the journal leads";
    expect(listTrust(m.host).configs).toMatchObject([{ check: { trusted: false, reason } }]);
  });
});

describe("records are looked for", () => {
  const inState = (m: Machine) => ({ folder: `${m.host.stateFolder}/journal`, keepMs: null });

  test("in the state folder, where no config is, or none that says otherwise", () => {
    const m = project("{}");
    expect(findJournal({ ...m.host, cwd: m.home }, undefined)).toEqual({ ...inState(m), note: null });
    expect(findJournal(m.host, m.at(CONFIG))).toEqual({ ...inState(m), note: null });
  });

  test("where the config says that is named, or that is found and trusted, also when a root is gone", () => {
    const m = project("{ folder: ~/home/ann/records, keep: 2d }");
    const there = { folder: m.at("home/ann/records"), keepMs: 48 * 3_600_000, note: null };
    expect(findJournal(m.host, "cofferdam.yaml")).toEqual(there);
    rememberTrust(m.host, trustFile(m.host));
    expect(findJournal(m.host, undefined)).toEqual(there);
    renameSync(m.at("home/ann/project/notes"), m.at("home/ann/project/moved"));
    expect(refusalOf(() => loadConfig(m.host, { config: m.at(CONFIG) })).code).toBe("ROOT_REFUSED");
    expect(findJournal(m.host, "cofferdam.yaml")).toEqual(there);
  });

  test("in the state folder, which is said, where a config was found and is not trusted, or not any more", () => {
    const m = project("{ folder: ~/home/ann/records }");
    const where = "searching for records in the state folder instead";
    const note = `${m.at(CONFIG)} is not trusted: ${where}`;
    expect(findJournal(m.host, undefined)).toEqual({ ...inState(m), note });
    rememberTrust(m.host, trustFile(m.host));
    write(m, "{ folder: ~/home/ann/records, keep: 1h }");
    const changed = `${m.at(CONFIG)} is no longer trusted (changed: cofferdam.yaml): ${where}`;
    expect(findJournal(m.host, undefined)).toEqual({ ...inState(m), note: changed });
  });
});
