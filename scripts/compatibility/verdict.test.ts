import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CLIENTS } from "./clients/all.ts";
import { inWords, namesOn, pageOf } from "./page.ts";
import type { Row } from "./row.ts";
import { GROUPS } from "./rows/all.ts";
import { configText, scriptOf } from "./stage.ts";
import { type Attempt, verdictOf } from "./verdict.ts";

const rows = GROUPS.flatMap((group) => group.rows);
const names = rows.map(({ name }) => name);
const page = readFileSync(join(import.meta.dirname, "../../COMPATIBILITY.md"), "utf8");

test("each list of clients is tried by a file of tests of its own", () => {
  for (const list of Object.keys(CLIENTS)) {
    const file = join(import.meta.dirname, `clients-${list}.slow.test.ts`);
    expect(readFileSync(file, "utf8")).toContain(`tryClients(CLIENTS.${list})`);
  }
});

describe("a verdict", () => {
  const row = { name: "a", does: "b", needs: ["c"], line: ["d"] } satisfies Row;
  const fails = { ...row, fails: { says: /no\w*/, remedy: "told" } };
  const set = { ...row, setting: "shell: {}" };
  const good: Attempt = { isDone: true, said: "", remedies: [] };
  const bad: Attempt = { isDone: false, said: "it says\nnot so\n", remedies: ["ask"] };
  const of = (of_: Row, control: Attempt, plain: Attempt, withSetting: Attempt | null = null) =>
    verdictOf(of_, { control, plain, set: withSetting });

  test("that something works needs the control and the sandbox", () => {
    expect(of(row, good, good)).toEqual({ kind: "works" });
    expect(of(row, good, bad)).toMatchObject({ kind: "wrong", said: bad.said });
    expect(of(row, bad, good)).toEqual({ kind: "untried", why: "fails without the sandbox too: not so" });
    expect(of(fails, bad, bad)).toMatchObject({ kind: "untried" });
  });

  test("that a setting is needed counts only where it fails without", () => {
    expect(of(set, good, bad, good)).toEqual({ kind: "with", setting: "shell: {}" });
    expect(of(set, good, good, good)).toMatchObject({ kind: "wrong" });
    expect(of(set, good, bad, bad)).toMatchObject({ kind: "wrong" });
  });

  test("that it fails by design needs the reason that is known, and a remedy", () => {
    expect(of(fails, good, bad)).toEqual({ kind: "by-design", says: "not", remedy: "ask" });
    expect(of(fails, good, good)).toMatchObject({ kind: "wrong" });
    expect(of(fails, good, { ...bad, said: "it says" })).toMatchObject({ kind: "wrong" });
    expect(of(fails, good, { ...bad, remedies: [] })).toMatchObject({ kind: "wrong" });
    expect(of({ ...row, fails: { says: /no/, remedy: "wait" } }, good, bad)).toMatchObject({
      remedy: "wait",
    });
  });

  test("stands on the page under its row's name, whatever is in it", () => {
    const [first] = rows;
    const verdict = { kind: "by-design", says: "a|b", remedy: "c" } as const;
    const lines = [{ name: first?.name ?? "", version: "1.2", verdict }];
    expect(namesOn(pageOf(lines, "here"))).toEqual([first?.name]);
    expect(pageOf(lines, "here")).toContain("fails by design: “a\\|b”. Instead: c |\n");
    expect(inWords({ kind: "with", setting: "x: y" })).toBe("works with `x: y`");
    // Rows that are tried anew take the place of their lines, and the others stay.
    const anew = pageOf(lines, "there", page);
    expect(namesOn(anew)).toEqual(names);
    expect(anew).toContain("fails by design: “a\\|b”. Instead: c |\n");
    expect(anew).toContain(`there: ${names.length} rows, `);
    expect(pageOf([], "x", page).replace(/^Tried on .*$/m, "")).toBe(page.replace(/^Tried on .*$/m, ""));
  });
});

test("a setting is laid over the config that says no more than it must", () => {
  const place = { folder: "/p", project: "/p/project", home: "/p/home", temporary: "/p/tmp" };
  const setting = "{ shell: { network: host }, sandbox: { paths: { x: { root: /home/you/x, mode: ro } } } }";
  expect(parse(configText(place, ["system"], setting))).toEqual({
    version: 1,
    sandbox: {
      paths: {
        project: { root: "/p/project", mode: "rw", write_approval: false },
        x: { root: "/p/home/x", mode: "ro" },
      },
      runtimes: ["system"],
    },
    shell: { network: "host" },
  });
});

test("steps are one script that stops at the first failure, with its values filled in", () => {
  expect(scriptOf(["a {port}", "b"], { port: 80 })).toMatch(/^set -eu -o pipefail\ntrap .*\na 80\nb$/);
});
