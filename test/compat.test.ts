import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLIENTS } from "../scripts/compatibility/clients/all.ts";
import { CLIENTS_HEADING, clientsSection } from "../scripts/compatibility/clients/section.ts";
import { namesOn } from "../scripts/compatibility/page.ts";
import { GROUPS } from "../scripts/compatibility/rows/all.ts";

const rows = GROUPS.flatMap((group) => group.rows);
const names = rows.map(({ name }) => name);
const page = readFileSync(join(import.meta.dirname, "../COMPATIBILITY.md"), "utf8");

test("COMPATIBILITY.md has a row for everything that scripts/compat tries, in its order, and none besides", () => {
  expect(new Set(names).size).toBe(names.length);
  expect(namesOn(page)).toEqual(names);
});

test("COMPATIBILITY.md comes from a machine that has everything, and says what the rows say", () => {
  expect(page).not.toContain("not tried here");
  for (const { name, setting, fails } of rows) {
    const line = page.split("\n").find((one) => one.startsWith(`| ${name} |`)) ?? "";
    const cell = line.slice(line.lastIndexOf(" | ", line.length - 3));
    const said =
      setting === undefined ? (fails === undefined ? "works |" : "fails by design: ") : "works with ";
    expect([name, cell.slice(3, 3 + said.length)]).toEqual([name, said]);
  }
});

describe("what is said of clients", () => {
  test("stands on COMPATIBILITY.md as the list has it, under names of their own", async () => {
    const [tools = ""] = page.split(CLIENTS_HEADING);
    await expect(`${tools}${clientsSection()}`).toMatchFileSnapshot("../COMPATIBILITY.md");
    const clients = Object.values(CLIENTS)
      .flat()
      .map(({ name }) => name);
    expect(new Set(clients).size).toBe(clients.length);
  });
});
