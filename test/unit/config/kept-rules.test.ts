import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { GivenRule } from "../../../src/approval/memory.ts";
import { type KeptRules, keptRulesOf } from "../../../src/config/kept-rules.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { rememberTrust, revokeTrust, trustFile } from "../../../src/config/trust.ts";
import type { Host } from "../../../src/host/look/host.ts";
import { KEPT_UNUSED_MS } from "../../../src/policy/kept-rule.ts";
import { type Machine, machine } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";
const ROOTS = (folder: string): string =>
  `version: 1\nsandbox:\n  runtimes: []\n  paths:\n    notes: { root: ./${folder}, mode: rw }\n`;

const rule = (id: string, pattern = "git add", more: Partial<GivenRule> = {}): GivenRule => ({
  id,
  cover: { of: "commands", patterns: [{ pattern, exact: false }] },
  covers: `\`${pattern}\` with any further arguments`,
  agent: null,
  by: "ann",
  at: 1_000,
  from: ["request-1"],
  until: null,
  maxUses: null,
  match: [],
  notMatch: [],
  ...more,
});

interface Project extends Machine {
  readonly clock: { now: number };
  readonly file: string;
  /** The rules as one more process has them. */
  open(): KeptRules;
}

function project(): Project {
  const m = machine({ [CONFIG]: ROOTS("one"), "home/ann/project/one/a": "", "home/ann/project/two/a": "" });
  const clock = { now: 1_000 };
  const host: Host = { ...m.host, now: () => clock.now };
  const open = (): KeptRules => {
    rememberTrust(host, trustFile(host));
    const kept = keptRulesOf(host, loadConfig(host, { cwd: m.project }).config);
    if (kept === null) throw new Error("there is no config");
    return kept;
  };
  return {
    ...m,
    host,
    clock,
    file: `${m.host.stateFolder}/rules/${hash("sha256", m.at(CONFIG))}.json`,
    open,
  };
}

const ids = (kept: KeptRules): readonly string[] => kept.read().kept.map(({ id }) => id);

describe("a kept rule", () => {
  test("lies in the user's own folder for this user alone, and holds in every process until it is dropped", async () => {
    const at = project();
    const [one, other] = [at.open(), at.open()];
    expect([ids(one), existsSync(at.file)]).toEqual([[], false]);
    await one.keep(rule("a"));
    expect([ids(one), ids(other)]).toEqual([["a"], ["a"]]);
    expect(statSync(at.file).mode & 0o777).toBe(0o600);
    expect(
      at.inventory().filter((path) => path.startsWith("home/ann/project") && path.includes("rules")),
    ).toEqual([]);
    expect([await other.drop("a"), await other.drop("a"), ids(one), await one.use("a")]).toEqual([
      true,
      false,
      [],
      false,
    ]);
  });

  test("is written once, however often it is given", async () => {
    const kept = project().open();
    for (const id of ["a", "b", "c"]) await kept.keep(rule(id));
    await kept.keep(rule("d", "git commit"));
    await kept.keep(rule("e", "git add", { agent: "bob" }));
    expect(ids(kept)).toEqual(["c", "d", "e"]);
  });

  test("ends at its time, after its uses, and after 90 days without one", async () => {
    const at = project();
    const kept = at.open();
    await kept.keep(rule("timed", "git add", { until: 2_000 }));
    await kept.keep(rule("counted", "git commit", { maxUses: 2 }));
    await kept.keep(rule("unused", "git log"));
    expect(await Promise.all([1, 2, 3].map(() => kept.use("counted")))).toEqual([true, true, false]);
    at.clock.now = 2_000;
    expect(ids(kept)).toEqual(["unused"]);
    expect(await kept.use("timed")).toBe(false);
    at.clock.now = 1_000 + KEPT_UNUSED_MS - 1;
    expect(await kept.use("unused")).toBe(true);
    at.clock.now = 1_000 + KEPT_UNUSED_MS;
    expect(ids(kept)).toEqual(["unused"]);
    at.clock.now += KEPT_UNUSED_MS;
    expect(kept.list().map(({ rule: { id }, state }) => [id, state])).toEqual([
      ["timed", "expired"],
      ["counted", "used up"],
      ["unused", "expired"],
    ]);
  });

  test("sleeps when a root leads elsewhere, until a person confirms it; other changes leave it", async () => {
    const at = project();
    await at.open().keep(rule("a"));
    at.write({ [CONFIG]: `${ROOTS("one")}# a comment\n` });
    expect(ids(at.open())).toEqual(["a"]);
    at.write({ [CONFIG]: ROOTS("two") });
    const moved = at.open();
    expect([ids(moved), moved.list()[0]?.state]).toEqual([[], "asleep"]);
    expect([await moved.confirm("a"), ids(moved)]).toEqual([true, ["a"]]);
  });

  test("goes with the trust in its config", async () => {
    const at = project();
    const kept = at.open();
    await kept.keep(rule("a"));
    expect(revokeTrust(at.host, at.at(CONFIG))).toBe(true);
    expect([ids(kept), existsSync(at.file)]).toEqual([[], false]);
  });
});

describe("nothing is kept, and it is said,", () => {
  test.each<[string, (file: string) => void, RegExp]>([
    ["when the file is damaged", (file) => writeFileSync(file, "{"), /is damaged; none applies/],
    [
      "when it is another config's",
      (file) => writeFileSync(file, readFileSync(file, "utf8").replace("cofferdam.yaml", "other.yaml")),
      /belongs to another config/,
    ],
    ["when others may write it", (file) => chmodSync(file, 0o666), /is not private to this user/],
    [
      "when an example fails",
      (file) =>
        writeFileSync(file, readFileSync(file, "utf8").replace('"notMatch":[]', '"notMatch":["git add x"]')),
      /failing example/,
    ],
    [
      "when a pattern frees what no rule may free",
      (file) =>
        writeFileSync(file, readFileSync(file, "utf8").replace('"pattern":"git add"', '"pattern":"git *"')),
      /is damaged/,
    ],
  ])("%s", async (_, breaks, why) => {
    const at = project();
    const kept = at.open();
    await kept.keep(rule("a"));
    breaks(at.file);
    expect(ids(kept)).toEqual([]);
    expect(kept.read().problem).toMatch(why);
    expect(await kept.use("a")).toBe(false);
    expect(() => kept.list()).toThrow(why);
  });
});

test("several processes write one file, and lose and invent nothing", async () => {
  const at = project();
  const kept = at.open();
  await kept.keep(rule("counted", "git log", { maxUses: 30 }));
  const program = `
    const [modules, stateFolder, project] = process.argv.slice(1);
    const { KeptRules } = await import(modules + "/config/kept-rules.ts");
    const { thisHost } = await import(modules + "/host/look/host.ts");
    const { trustFile } = await import(modules + "/config/trust.ts");
    const host = thisHost({ stateFolder, cwd: project, operatorFolders: [] });
    const { path, loaded } = trustFile(host);
    const kept = new KeptRules({ ...host, now: () => 1_500 }, path, loaded.config);
    let used = 0;
    for (let index = 0; index < 12; index += 1) {
      await kept.keep({ ...${JSON.stringify(rule("x"))}, id: process.pid + "-" + index,
        cover: { of: "commands", patterns: [{ pattern: "git add", exact: false }, { pattern: "x" + process.pid + index, exact: true }] } });
      if (await kept.use("counted")) used += 1;
    }
    console.log(used);`;
  const modules = join(import.meta.dirname, "../../../src");
  const children = [1, 2, 3, 4].map(() =>
    spawn(
      process.execPath,
      ["--input-type=module", "-e", program, modules, at.host.stateFolder, at.project],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    ),
  );
  const said = await Promise.all(
    children.map(async (child) => {
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (some: string) => (text += some));
      await once(child, "close");
      return Number(text);
    }),
  );
  expect(said.reduce((sum, one) => sum + one, 0)).toBe(30);
  expect(kept.list().map(({ rule: { id } }) => id)).toHaveLength(1 + 4 * 12);
});
