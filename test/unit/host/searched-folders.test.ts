import { chmodSync, mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { isProgramIn, searchedFolders } from "../../../src/host/searched-folders.ts";
import { machine } from "../config/machine.ts";

test("the entries of PATH are whole paths, each once; an empty one is where this process works", () => {
  const { project: cwd } = machine();
  const folders = (env: Readonly<Record<string, string>>): readonly string[] => searchedFolders({ env, cwd });
  expect(folders({ PATH: "/a/bin:/b//bin/:/a/bin::node_modules/.bin:.." })).toEqual([
    "/a/bin",
    "/b/bin",
    cwd,
    `${cwd}/node_modules/.bin`,
    cwd.replace(/\/[^/]*$/, ""),
  ]);
  expect(folders({})).toEqual(["/usr/bin", "/bin"]);
});

test("a program is a file that may be run; a folder, another file and what is no name are none", () => {
  const { at } = machine({ "a/tool": "", "a/text": "", "b/other": "" });
  chmodSync(at("a/tool"), 0o755);
  mkdirSync(at("a/folder"));
  const folders = [at("nothing"), at("a")];
  const found = ["tool", "text", "folder", "other", "..", "", "a\0b", "x".repeat(5_000)].map((name) =>
    isProgramIn(folders, name),
  );
  expect(found).toEqual([true, false, false, false, false, false, false, false]);
});
