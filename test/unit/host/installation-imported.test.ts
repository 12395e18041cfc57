import { expect, test } from "vitest";
import { inWork, type Tree } from "../../support/installed-parts.ts";

/** What is held in a folder of files, of which the first is loaded ahead of each program; all others are there, too. */
function heldBy(text: string, tree: Tree = {}): readonly string[] {
  const files = { "work/h.mjs": text, "work/d.mjs": "", ...tree };
  return inWork(files, { NODE_OPTIONS: "--import ./h.mjs" }).filter((path) => path !== "h.mjs");
}

test.each<[what: string, text: string]>([
  ["a module of hooks", 'register(new URL("./d.mjs", import.meta.url));'],
  ["the same without what a path begins with", "register(new URL('d.mjs', import.meta.url));"],
  ["a path that is put together", 'require(path.join(__dirname, "d.mjs"));'],
  ["a `require` that is made", 'createRequire(import.meta.url)("./d.mjs");'],
  ["a comment before it", 'await import(/* c */ "./d.mjs");'],
  ["a comment with an apostrophe before it", `/* it's */ await import(/* isn't */ "./d.mjs");`],
  ["a template", "register(new URL(`./d.mjs`, import.meta.url));"],
  ["a query", 'import "./d.mjs?x";'],
  ["a query in a URL of a file that is written without `./`", 'new URL("d.mjs?x", import.meta.url);'],
  ["a fragment", 'import "./d.mjs#x";'],
  ["an escape of URLs", 'import "./%64.mjs";'],
  ["a path from the root", 'run("TOP/work/d.mjs");'],
  ["a whole URL", 'run("file://TOP/work/%64.mjs");'],
  ["a name in a list", 'for (const one of ["./a.mjs", "./d.mjs"]) await import(one);'],
])("own: a file is held that a preloaded one loads: %s", (_, text) => {
  expect(heldBy(text)).toContain("d.mjs");
  expect(heldBy(text.replaceAll(/d\.mjs|%64\.mjs/g, "e.mjs"))).not.toContain("d.mjs");
});

test("own: endings that `require` tries, and a folder's main file, are found for a name in quotes, too", () => {
  const tree = {
    "work/one.cjs": "",
    "work/two/package.json": '{"main":"main.js"}',
    "work/two/main.js": "",
    "work/three/index.js": 'load("./four")',
    "work/three/four.js": "",
  };
  expect(heldBy('for (const one of ["./one", "./two", "./three"]) load(one);', tree)).toEqual(
    expect.arrayContaining([
      "one.cjs",
      "one.js",
      "two/package.json",
      "two/main.js",
      "three/index.js",
      "three/four.js",
    ]),
  );
});

test("own: a name in quotes of which nothing is there holds nothing, and neither does one of a folder", () => {
  const tree = { "work/package.json": '{"main":"./d.mjs"}', "work/lib/x": "" };
  expect(
    heldBy('f("./e.mjs", "../e", "./", "../", "./lib", "#e", "e", "/", "file:///", "utf8")', tree),
  ).toEqual([]);
});

const MANIFEST = {
  name: "proj",
  exports: { ".": { import: "./d.mjs" }, "./sub/*": { import: "./lib/*.mjs" } },
  imports: {
    "#x": { custom: { import: ["./d.mjs"] } },
    "#lib/*": { import: "./lib/*.mjs", default: null },
    "#p": "tracer",
    "#again": "#again",
  },
};
const PROJECT: Tree = { "work/package.json": JSON.stringify(MANIFEST), "work/lib/e.mjs": "" };

test.each<[what: string, name: string, found: string]>([
  ["its own package", "proj", "d.mjs"],
  ["a part of its own package", "proj/sub/e", "lib/e.mjs"],
  ["a name of its manifest, under any condition", "#x", "d.mjs"],
  ["a name by a pattern", "#lib/e", "lib/e.mjs"],
])("own: what a manifest says is held, with the manifest, for %s", (_, name, found) => {
  for (const text of [`import "${name}";`, `createRequire(import.meta.url)("${name}")`])
    expect(heldBy(text, PROJECT)).toEqual(expect.arrayContaining(["package.json", found]));
  expect(heldBy(`load("${name}0")`, PROJECT)).toEqual([]);
});

test("own: a nearer manifest could say otherwise, and so could a nearer package", () => {
  const tree = { ...PROJECT, "work/in/one.mjs": 'import "#x"; import "tracer";' };
  expect(heldBy('import "./in/one.mjs";', tree)).toEqual(
    expect.arrayContaining(["in/package.json", "package.json", "d.mjs", "in/node_modules", "node_modules"]),
  );
});

test("own: a name of a manifest that means itself ends, and one that means a package counts as that", () => {
  expect(heldBy('import "#again";', PROJECT)).toEqual(["package.json"]);
  const tree = { ...PROJECT, "work/node_modules/tracer/index.js": "" };
  expect(heldBy('load("#p");', tree)).toEqual(["package.json", "node_modules"]);
  expect(heldBy('load("#p");', PROJECT)).toEqual([]);
});

test("own: a package is held that a preloaded file names anywhere, and one behind a link by its files", () => {
  const installed = { "work/node_modules/tracer/index.js": 'load("TOP/work/d.mjs")' };
  expect(heldBy('createRequire(import.meta.url)("tracer");', installed)).toEqual([
    "node_modules",
    "package.json",
  ]);
  const linked = {
    "work/node_modules/tracer": "-> ../packages/tracer",
    "work/packages/tracer/package.json": '{"exports":{"import":"./t.mjs","require":"./gone.cjs"}}',
    "work/packages/tracer/t.mjs": 'load("./more.mjs")',
    "work/packages/tracer/more.mjs": "",
    "work/packages/tracer/other.mjs": "",
  };
  expect(heldBy('load("tracer");', linked)).toEqual([
    "node_modules",
    "package.json",
    "packages/tracer/package.json",
    "packages/tracer/t.mjs",
    "packages/tracer/more.mjs",
  ]);
});

test.each(["", ";base64"])("own: what a module loads that stands right in an option is held%s", (kind) => {
  const text = 'import{register}from"node:module";register("./d.mjs",import.meta.url)';
  const said = kind === "" ? encodeURIComponent(text) : Buffer.from(text).toString("base64");
  const env = { NODE_OPTIONS: `--import data:text/javascript${kind},${said}` };
  expect(inWork({ "work/d.mjs": "" }, env)).toEqual(["d.mjs"]);
});

test("own: files that name one another are looked at once, and no more names than any file has", () => {
  expect(heldBy('load("./d.mjs")', { "work/d.mjs": 'load("./h.mjs", "./d.mjs")' })).toEqual(["d.mjs"]);
  const many = Array.from({ length: 5000 }, (_, at) => `"./x${at}"`).join();
  expect(heldBy(`load("./d.mjs", ${many})`)).toEqual(["d.mjs"]);
  expect(heldBy(`load(${many}, "./d.mjs")`)).toEqual([]);
});

test("own: what the map of Plug'n'Play lists, others may load: only its own parts are held with it", () => {
  const tree = {
    "work/.pnp.cjs": `const at = "./d.mjs"; require("tracer"); read(resolve(".pnp.data.json"))`,
    "work/.pnp.loader.mjs": "require(clone(`./.pnp.cjs`))",
    "work/.pnp.data.json": '["./d.mjs"]',
    "work/d.mjs": "",
  };
  expect(inWork(tree, { NODE_OPTIONS: "--require ./.pnp.cjs" })).toEqual([".pnp.cjs", ".pnp.data.json"]);
  expect(inWork(tree, { NODE_OPTIONS: "--loader ./.pnp.loader.mjs" })).toEqual([
    ".pnp.loader.mjs",
    ".pnp.cjs",
    ".pnp.data.json",
  ]);
  const whole = Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith(".json")));
  expect(inWork(whole, { NODE_OPTIONS: "--require ./.pnp.cjs" })).toEqual([".pnp.cjs"]);
});
