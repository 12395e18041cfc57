import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimsIn, claimsOfFile } from "../../../src/host/look/manifest-claims.ts";
import { Manifests } from "../../../src/host/look/manifests.ts";
import { joinPath, knownPath } from "../../../src/profile/path.ts";

describe("what a manifest says of our names", () => {
  it.each([
    [{ bin: { cofferdam: "x.js" } }, 1],
    [{ bin: { node: "x.js", other: "y.js" } }, 1],
    [{ name: "@scope/cofferdam", bin: "x.js" }, 1],
    [{ name: "node", bin: "x.js" }, 2],
    [{ name: "cofferdam", exports: "./x.js" }, 1],
    [{ name: " cofferdam\n", exports: "./x.js" }, 1],
    [{ name: "a/cofferdam", bin: "x.js" }, 1],
    [{ bin: { "x/cofferdam": "y" } }, 1],
    [{ bin: { "@x/cofferdam": "y" } }, 1],
    [{ bin: { "x\\cofferdam": "y" } }, 1],
    [{ bin: { "x:cofferdam": "y" } }, 1],
    [{ bin: { "cofferdam/": "y" } }, 1],
    [{ bin: { "x/../cofferdam/.": "y", "./node": "z" } }, 2],
    [{ bin: { "cofferdam/x/..": "y" } }, 1],
    [{ bin: { Cofferdam: "y" } }, 1],
    [{ bin: { sh: "y", bash: "z" } }, 2],
    [{ bin: ["x/cofferdam", "y/node", "z", null] }, 2],
    [{ scripts: { cofferdam: "x" } }, 1],
    [{ scripts: { precofferdam: "x", postcofferdam: "y" } }, 2],
    [{ scripts: { prenode: "x" } }, 1],
    [{ directories: { bin: "commands" } }, 1],
    [{ name: "app", bin: "x.js", scripts: { build: "cofferdam run -- tsc" } }, 0],
    [{ dependencies: { cofferdam: "1.0.0" }, workspaces: ["cofferdam"] }, 0],
    [{ name: "cofferdam-x", bin: { "cofferdam-x": "x", "cofferdam/x": "y", "": "z" } }, 0],
    [{ bin: ["cofferdam/x", 1], scripts: { Cofferdam: "x", "pre-cofferdam": "y", prepare: "z" } }, 0],
    [{ name: "sh", scripts: { sh: "x", sed: "y" } }, 0],
    [{ bin: null, scripts: [], directories: "bin" }, 0],
    ["cofferdam", 0],
    [null, 0],
  ])("%j", (manifest, claims) => {
    expect(claimsIn(manifest).size).toBe(claims);
  });
});

describe("what the file of a manifest says of our names", () => {
  const claims = (name: string, text: string | Uint8Array): number =>
    claimsOfFile(name, Buffer.from(text)).size;
  const ours = '"scripts":{"cofferdam":"x"}';

  it.each([
    ["Bun takes comments", `{ // a\n${ours} }`],
    ["Bun takes commas at an end", `{ ${ours}, }`],
    ["Bun takes UTF-16", Buffer.from(`\u{feff}{ ${ours} }`, "utf16le")],
    ["Bun takes the first of two", `{ ${ours}, "scripts": {} }`],
    ["Bun takes the first of two, however they are written", `{ ${ours}, "scri\\u0070ts": {} }`],
    ["a text in it does not hide that", `{ ${ours}, "a\\":": ":", "scripts": {} }`],
    ["it may name a folder", '{ "directories": { "bin": "x" }, }'],
    ["it may be written otherwise", '{ "scripts": { "coffer\\u0064am": "x" }, }'],
  ])("something is in a package.json: %s", (_, text) => {
    expect(claims("package.json", text)).toBe(1);
  });

  it.each([
    [
      "what npm reads",
      '{ "dependencies": { "cofferdam": "1.0.0" }, "scripts": { "x": "echo \\"a\\": [\\u0062:" } }',
    ],
    ["with a mark before it", `\u{feff}{ "dependencies": { "cofferdam": "1.0.0" } }`],
    [
      "no JSON that does not hold the word",
      '{ /* a */ "name": "x", "scripts": { "test": "echo \\"a\\" \\\\ b" }, }',
    ],
    ["nothing", ""],
  ])("nothing is in a package.json: %s", (_, text) => {
    expect(claims("package.json", text)).toBe(0);
  });

  it.each([
    ["package.yaml", "scripts:\n  cofferdam: x\n"],
    ["package.yaml", 'scripts:\n  ? "coffer\\\n    dam"\n  : x\n'],
    ["package.yaml", 'scripts:\n  "\\x63offerdam": x\n'],
    ["package.yaml", "scripts:\n  !!binary Y29mZmVyZGFt: x\n"],
    ["package.yaml", "%TAG !e! tag:yaml.org,2002:bin\n---\nscripts:\n  !e!ary Y29mZmVyZGFt: x\n"],
    ["package.yaml", "scripts:\n  !<tag:yaml.org,2002:binary> Y29mZmVyZGFt: x\n"],
    ["package.yaml", '{"scripts":{"<<":{"cofferdam":"x"}}}'],
    ["package.json5", "{scripts:{cofferdam:'x'}}"],
    ["package.json5", "{scripts:{c\\u006fferdam:'x'}}"],
    ["package.json5", "{scripts:{'c\\offerdam':'x'}}"],
    ["Package.JSON5", "{scripts:{cofferdam:'x'}}"],
  ])("%s: %j", (name, text) => {
    expect(claims(name, text)).toBe(1);
  });

  it.each([
    ["package.yaml", 'name: app\nscripts:\n  test: "echo \\"a\\"\\n && ! b"\nfiles:\n  - "!x"\n'],
    ["package.json5", "{ name: 'app', /* it's */ scripts: { test: 'echo \\'a\\'' }, }"],
  ])("nothing in %s: %j", (name, text) => {
    expect(claims(name, text)).toBe(0);
  });
});

describe("manifests that came to say more of our names", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cofferdam-manifests-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, manifest: object): void =>
    writeFileSync(join(folder, name), JSON.stringify(manifest));
  const pathOf = (name: string) => joinPath(knownPath(folder), name);
  const ours = { bin: { cofferdam: "x.js" } };

  it("are told until that is noted, and not where they said it before, or nobody can have changed them", async () => {
    const manifests = new Manifests();
    for (const name of ["changed", "was", "plain"]) write(name, name === "was" ? ours : {});
    manifests.saw(["changed", "was", "plain"].map(pathOf));
    manifests.note();
    write("changed", { ...ours, version: "1.0.0" });
    write("was", { ...ours, version: "2.0.0" });
    write("plain", { scripts: { test: "node --test" } });
    for (const name of ["new", "old"]) write(name, ours);
    manifests.saw(["changed", "was", "plain", "new", "old", "gone"].map(pathOf));
    expect(await manifests.grown((_, path) => path !== pathOf("old"))).toEqual(
      ["changed", "new"].map(pathOf),
    );
    expect(await manifests.grown((_, path) => path !== pathOf("old"))).toEqual(
      ["changed", "new"].map(pathOf),
    );
    manifests.note();
    expect(await manifests.grown(() => true)).toEqual([]);
  });

  it("are told again where they were gone meanwhile", async () => {
    const manifests = new Manifests();
    for (const _ of ["once", "again"]) {
      write("package.json", ours);
      manifests.saw([pathOf("package.json")]);
      expect(await manifests.grown(() => true)).toEqual([pathOf("package.json")]);
      rmSync(join(folder, "package.json"));
      manifests.note();
    }
  });

  it("are told where another file is to be run under the name", async () => {
    const manifests = new Manifests();
    write("package.json", ours);
    manifests.saw([pathOf("package.json")]);
    manifests.note();
    write("package.json", { bin: { cofferdam: "other.js" } });
    expect(await manifests.grown(() => true)).toEqual([pathOf("package.json")]);
  });

  it.each([
    ["can't be understood", `dependencies:\n  cofferdam: "*"\n`],
    ["are too long to be read", "#".repeat(1024 * 1024)],
  ])("are told at each change where they %s", async (_, start) => {
    const manifests = new Manifests();
    const text = (more: string): void => writeFileSync(join(folder, "package.yaml"), `${start}\n${more}`);
    text("");
    manifests.saw([pathOf("package.yaml")]);
    manifests.note();
    expect(await manifests.grown(() => true)).toEqual([]);
    text("name: app\n");
    expect(await manifests.grown(() => true)).toEqual([pathOf("package.yaml")]);
  });

  it("are told where what they lead to changes", async () => {
    const manifests = new Manifests();
    write("real", {});
    for (const [name, target] of Object.entries({ "package.json": "real", lost: "gone" }))
      symlinkSync(target, join(folder, name));
    manifests.saw(["package.json", "lost"].map(pathOf));
    manifests.note();
    write("real", { version: "2.0.0" });
    expect(await manifests.grown(() => true)).toEqual([]);
    write("real", { ...ours, version: "3.0.0" });
    expect(await manifests.grown(() => true)).toEqual([pathOf("package.json")]);
  });

  it("are told where a package of our name has other commands", async () => {
    const manifests = new Manifests();
    write("package.json", { name: "cofferdam", bin: { other: "x.js" } });
    manifests.saw([pathOf("package.json")]);
    manifests.note();
    write("package.json", { name: "cofferdam", bin: { other: "x.js" }, version: "2.0.0" });
    expect(await manifests.grown(() => true)).toEqual([]);
    write("package.json", { name: "cofferdam", bin: { other: "yes.js" } });
    expect(await manifests.grown(() => true)).toEqual([pathOf("package.json")]);
  });
});
