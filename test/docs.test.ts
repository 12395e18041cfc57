import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { rowsOfFile } from "../scripts/lib/docs/config-page.ts";
import { PAGES } from "../scripts/lib/docs/pages.ts";
import type { Row } from "../scripts/lib/docs/schema-rows.ts";
import { ConfigFile, ProfileFile, SCHEMAS } from "../src/config/schema.ts";

const FOLDER = join(import.meta.dirname, "../docs/reference");

/** Pages that people write, or that another test writes. */
const OTHERS = ["integrations.md", "kernels.md", "performance.md"];

// `scripts/docs write` writes them, and so does `npx vitest run test/docs.test.ts -u`.
test.each(Object.keys(PAGES))("docs/reference/%s says what the code says", async (name) => {
  await expect(PAGES[name]?.() ?? "").toMatchFileSnapshot(join(FOLDER, name));
});

test("every page of the reference is known", () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".md"));
  expect(files.toSorted()).toEqual([...Object.keys(PAGES), ...OTHERS].toSorted());
});

test.each(["http-api.md", "tools.md", "events.md", "webhook.md"])(
  "each field, input and parameter of docs/reference/%s has a meaning",
  (name) => {
    const rows = (PAGES[name]?.() ?? "").split("\n").filter((line) => line.startsWith("| `"));
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([]);
  },
);

describe.each(SCHEMAS)("the reference of %s", (name) => {
  const rows = rowsOfFile(name);

  test("tells every key in a sentence", () => {
    expect(
      rows.filter(({ description }) => !/^[A-Z`].*\.$/.test(description)).map(({ path }) => path),
    ).toEqual([]);
  });

  test("has examples that a file may hold, each by itself", () => {
    const schema = name === "config" ? ConfigFile : ProfileFile;
    const problems = rows
      .filter(({ example }) => example !== "")
      .flatMap((row) => {
        const { error } = schema.safeParse(fileWith(row, rows));
        return error === undefined ? [] : [`${row.path}: ${row.example}: ${error.issues[0]?.message}`];
      });
    expect(problems).toEqual([]);
  });
});

/** A file with this key as in its example, and all keys beside it and above it that must be there. */
function fileWith(row: Row, rows: readonly Row[]): unknown {
  const file: unknown = {};
  const needed = rows.filter(({ path, isRequired }) => {
    const parent = path.replace(/(^|\.)\w+$/, "");
    return isRequired && path !== row.path && (parent === "" || row.path.startsWith(`${parent}.`));
  });
  // A rule of an operator is on a tool or on a command line.
  const isOnLines =
    ["approval.rules[].shell", "approval.rules[].doubt"].includes(row.path) && isProfile(rows);
  for (const one of needed)
    if (one.path !== (isOnLines ? "approval.rules[].pattern" : "approval.rules[].shell")) put(file, one);
  put(file, row);
  return file;
}

/** True for the keys of an operator's file. */
function isProfile(rows: readonly Row[]): boolean {
  return rows.some(({ path }) => path === "approval.rules[].shell");
}

function put(into: unknown, { path, example }: Row): void {
  const keys = path.replaceAll("[]", ".0").replaceAll("NAME", "name").split(".");
  let at = into;
  for (const [index, key] of keys.entries()) {
    if (typeof at !== "object" || at === null) throw new Error(path);
    const isLast = index === keys.length - 1;
    const there: unknown = Reflect.get(at, key);
    const next = keys[index + 1] === "0" ? [] : {};
    if (isLast) Reflect.set(at, key, parse(example));
    else if (typeof there !== "object") Reflect.set(at, key, next);
    at = Reflect.get(at, key);
  }
}
