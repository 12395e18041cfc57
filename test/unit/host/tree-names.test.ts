import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { namesIntoTrees } from "../../../src/host/look/tree-names.ts";
import { executedNames } from "../../../src/profile/executed.ts";
import { joinPath, knownPath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-tree-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const [ROW] = executedNames(
  { by: "a shell", when: "it starts", runs: "unasked" },
  parsePatterns("**/.envrc"),
);

/** A folder in which these links are, and what is told of ways into its trees; `old`: links and names that were there before. */
async function told(
  links: Readonly<Record<string, string>>,
  names: readonly string[],
  { old = [], tooMany = false }: { readonly old?: readonly string[]; readonly tooMany?: boolean } = {},
): Promise<Readonly<Record<string, string | null>>> {
  const at = (name: string) => joinPath(knownPath(top), name);
  rmSync(top, { recursive: true });
  for (const folder of ["node_modules/a", "d"]) mkdirSync(at(folder), { recursive: true });
  for (const [name, to] of Object.entries(links)) symlinkSync(to, at(name));
  const isOld = (name: string) => old.includes(name);
  const found = await namesIntoTrees({
    writable: [knownPath(top)],
    // All was made right now: what is new is so because it was not seen before.
    startedAt: Date.now() + 60_000,
    protectedNames: names.map(at),
    isNew: (path) => !isOld(path.slice(top.length + 1)),
    executed: () => ROW ?? null,
    newLinks: new Set(Object.keys(links).flatMap((name) => (isOld(name) ? [] : at(name)))),
    linksOutsideTrees: async () => (tooMany ? null : Object.keys(links).map(at)),
  });
  expect(new Set(found.map(({ path }) => path)).size).toBe(found.length);
  return Object.fromEntries(found.map(({ path, row }) => [path.slice(top.length + 1), row?.when ?? null]));
}

const [A, B] = ["node_modules/a/.envrc", "node_modules/b/.envrc"];

test("a new link is told once, with one name of those that it leads to", async () => {
  expect(await told({ one: "node_modules", two: "node_modules/a", no: "." }, [A, B])).toEqual({
    one: `it starts (the link leads to \`${top}/${A}\` and 1 more)`,
    two: `it starts (the link leads to \`${top}/${A}\`)`,
  });
});

test("a new name is told once, by one of the links that were there", async () => {
  const links = { one: "node_modules", two: "node_modules/a", three: "two" };
  expect(await told(links, [A, B], { old: ["one", "two", "three", B] })).toEqual({
    "two/.envrc": "it starts",
  });
  expect(await told(links, [A, B], { old: ["one", "two", "three", A, B] })).toEqual({});
});

test("a link to all of the disk leads to the tree itself, and nowhere else", async () => {
  expect(await told({ l: "/" }, [A])).toEqual({});
  expect(await told({ l: "/", "node_modules/l": "/" }, [A], { old: ["l"] })).toEqual({});
});

test("of more links than are followed the new ones are, and each new name is told itself", async () => {
  expect(await told({ one: "node_modules/a" }, [A, B], { old: [A], tooMany: true })).toEqual({
    one: `it starts (the link leads to \`${top}/${A}\`)`,
    [B]: null,
  });
});

const DETOURS = Array.from({ length: 3 }, (_, at) => `e${at + 1}`);

test.each([
  ["too many names to be followed to its end", 800, { "e0/.envrc": "it starts", [A]: null }],
  ["as many as can be followed", 400, { "e0/.envrc": "it starts" }],
])("a way through %s may lead to each new name", async (_, detours, expected) => {
  const ways = DETOURS.map((name, at): [string, string] => [name, `${"d/../".repeat(detours)}e${at}`]);
  const links = { e0: "node_modules/a", ...Object.fromEntries(ways) };
  const old = await told(links, [A, B], { old: [...Object.keys(links), B] });
  expect(old).toEqual(expected);
});

test("what is told of links and names is as many as there are of either, not as pairs of them", async () => {
  const many = Array.from({ length: 300 }, (_, at) => at);
  const links = Object.fromEntries(many.map((at) => [`l${at}`, "node_modules"]));
  const names = many.map((at) => `node_modules/p${at}/.envrc`);
  expect(Object.keys(await told(links, names))).toHaveLength(300);
  const old = await told(links, names, { old: Object.keys(links) });
  expect(Object.keys(old)).toEqual(names.map((name) => name.replace("node_modules", "l0")));
});
