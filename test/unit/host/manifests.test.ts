import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimsIn } from "../../../src/host/manifest-claims.ts";
import { Manifests } from "../../../src/host/manifests.ts";
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
    [{ bin: ["x/cofferdam", "y/node", "z", null] }, 2],
    [{ scripts: { cofferdam: "x" } }, 1],
    [{ scripts: { precofferdam: "x", postcofferdam: "y" } }, 2],
    [{ scripts: { prenode: "x" } }, 1],
    [{ directories: { bin: "commands" } }, 1],
    [{ name: "app", bin: "x.js", scripts: { build: "cofferdam run -- tsc" } }, 0],
    [{ dependencies: { cofferdam: "1.0.0" }, workspaces: ["cofferdam"] }, 0],
    [{ name: "cofferdam-x", bin: { "cofferdam-x": "x", "cofferdam/x": "y", "": "z" } }, 0],
    [{ bin: ["cofferdam/x", 1], scripts: { Cofferdam: "x", "pre-cofferdam": "y", prepare: "z" } }, 0],
    [{ bin: null, scripts: [], directories: "bin" }, 0],
    ["cofferdam", 0],
    [null, 0],
  ])("%j", (manifest, claims) => {
    expect(claimsIn(manifest).size).toBe(claims);
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

  it("are told once, and not where they said it before, or nobody can have changed them", async () => {
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
    expect(await manifests.grown(() => true)).toEqual([]);
  });

  it("are told where another file is to be run under the name", async () => {
    const manifests = new Manifests();
    write("package.json", ours);
    manifests.saw([pathOf("package.json")]);
    manifests.note();
    write("package.json", { bin: { cofferdam: "other.js" } });
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
